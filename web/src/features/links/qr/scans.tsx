import { useQuery } from '@tanstack/react-query'
import { Link as RouterLink } from '@tanstack/react-router'
import { useI18n } from '../../../i18n/index.tsx'
import { filterText } from '../../statistics/filters.ts'
import { topQuery } from '../../statistics/queries.ts'
import { useReport } from '../../statistics/use-report.ts'
import type { Link } from '../queries.ts'

const SCAN = filterText({ dimension: 'trigger', value: 'qr', match: 'is' })

/** How often the code was scanned lately; opens the report about scans. */
export function Scans({ link }: { link: Link }) {
  const { t, format } = useI18n()
  const { question, period } = useReport(link.id)
  const triggers = useQuery(topQuery(question, period, 'trigger', 2)).data?.data
  if (triggers === undefined) return null
  const count = triggers.find(({ value }) => value === 'qr')?.clicks ?? 0
  return (
    <RouterLink
      to="/links/$id/statistics"
      params={{ id: link.id }}
      search={{ filter: [SCAN] }}
      className="self-start text-accent-text text-sm underline underline-offset-2"
    >
      {t('links.qr.scans', { count, number: format.number(count) })}
    </RouterLink>
  )
}
