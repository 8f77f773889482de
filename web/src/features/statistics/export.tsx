import { Download } from 'lucide-react'
import { useI18n } from '../../i18n/index.tsx'
import { download } from '../../lib/download.ts'
import { Button } from '../../ui/button.tsx'
import { Menu, MenuItem } from '../../ui/menu.tsx'
import { useAction } from '../../ui/toast.tsx'
import { pathOf, queryOf, rangeOf } from './queries.ts'
import type { Report } from './use-report.ts'

const FORMATS = ['csv', 'ndjson', 'parquet'] as const

/** Downloads all clicks of the report. */
export function Export({ report: { question, period } }: { report: Report }) {
  const { t } = useI18n()
  const save = useAction((format: (typeof FORMATS)[number]) => {
    const query = { ...queryOf(question), ...rangeOf(period, question.zone) }
    const name = `clicks-${period.from}.${format}`
    return download(`${pathOf(question)}/clicks.${format}`, query, name)
  })
  return (
    <Menu
      trigger={
        <Button brief icon={<Download />} loading={save.isPending}>
          {t('statistics.export')}
        </Button>
      }
    >
      {FORMATS.map((format) => (
        <MenuItem key={format} onClick={() => save.mutate(format)}>
          {t(`statistics.export.${format}`)}
        </MenuItem>
      ))}
    </Menu>
  )
}
