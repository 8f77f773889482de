import { useQuery } from '@tanstack/react-query'
import { useI18n } from '../../i18n/index.tsx'
import { cx } from '../../ui/cx.ts'
import { Card } from '../../ui/page.tsx'
import type { Listed } from './filters.ts'
import { topQuery } from './queries.ts'
import { SplitCards } from './splits.tsx'
import { Times } from './times.tsx'
import { TopTabs } from './top-list.tsx'
import type { Report } from './use-report.ts'

const GROUPS = [
  { name: 'sources', dimensions: ['referrer', 'referrer_path', 'utm_source', 'trigger'] },
  { name: 'rules', dimensions: ['variant', 'rule'] },
  { name: 'links', dimensions: ['link', 'tag', 'folder', 'domain'] },
  { name: 'devices', dimensions: ['device', 'browser', 'os', 'language'] },
  { name: 'campaigns', dimensions: ['utm_campaign', 'utm_medium', 'utm_term', 'utm_content'] },
] as const satisfies readonly { name: string; dimensions: readonly Listed[] }[]

/** The top lists, in groups; a link's own page needs no list of links. */
export function TopCards({ report }: { report: Report }) {
  const hasChosen = useHasChosen(report)
  const isShown = { rules: hasChosen, links: report.question.linkId === null }
  const groups = GROUPS.map(({ name, dimensions }) => ({
    name,
    dimensions: (dimensions as readonly Listed[]).filter(report.shows),
  })).filter(
    ({ name, dimensions }) =>
      dimensions.length > 0 && (!(name in isShown) || isShown[name as 'rules']),
  )
  return (
    <div className="grid gap-6 lg:grid-cols-2">
      {groups.map(({ name, dimensions }, at) => (
        <TopCard
          key={name}
          report={report}
          name={name}
          dimensions={dimensions}
          wide={at === groups.length - 1 && at % 2 === 0}
        />
      ))}
      {report.question.shared ? null : <SplitCards report={report} />}
      {report.shows('hour') ? <Times report={report} /> : null}
    </div>
  )
}

/** Whether any rule or variant of the link chose a destination. */
function useHasChosen({ question, period, shows }: Report): boolean {
  const enabled = question.linkId !== null && shows('variant')
  const variant = useQuery({ ...topQuery(question, period, 'variant', 8), enabled })
  const rule = useQuery({ ...topQuery(question, period, 'rule', 8), enabled })
  return [variant, rule].some(({ data }) => data?.data.some(({ value }) => value !== null))
}

function TopCard({
  report,
  name,
  dimensions,
  wide,
}: {
  report: Report
  /** Alone in its row. */
  wide: boolean
  name: (typeof GROUPS)[number]['name']
  dimensions: readonly Listed[]
}) {
  const { t } = useI18n()
  const title = t(`statistics.group.${name}`)
  return (
    <Card className={cx('min-w-0 p-4', wide && 'lg:col-span-2')}>
      <h2 className="mb-1 font-semibold">{title}</h2>
      <TopTabs report={report} dimensions={dimensions} label={title} />
    </Card>
  )
}
