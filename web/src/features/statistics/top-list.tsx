import { useQuery } from '@tanstack/react-query'
import { Minus } from 'lucide-react'
import { useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { errorText } from '../../ui/errors.ts'
import { Loading, Skeleton } from '../../ui/skeleton.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { isGroup, type Listed, narrowedTo, withFilter } from './filters.ts'
import { Mark } from './mark.tsx'
import { ALL_COUNTRIES, statsQuery, type TopValue, topQuery } from './queries.ts'
import type { Report } from './use-report.ts'
import { shortName, valueName } from './words.ts'

/** The top lists of some dimensions, one at a time. */
export function TopTabs({
  report,
  dimensions,
  label,
}: {
  report: Report
  dimensions: readonly Listed[]
  label: string
}) {
  const { t } = useI18n()
  const { lists = [] } = report.search
  const [first = 'country'] = dimensions
  const choose = (next: Listed) => {
    const others = lists.filter((one) => !dimensions.includes(one))
    report.change({ lists: next === first ? others : [...others, next] })
  }
  return (
    <Tabs<Listed>
      label={label}
      value={dimensions.find((one) => lists.includes(one)) ?? first}
      onChange={choose}
      tabs={dimensions.map((dimension) => ({
        value: dimension,
        label: t(`statistics.dimension.${dimension}`),
        panel: <TopList report={report} dimension={dimension} />,
      }))}
    />
  )
}

/** The default number of values, and that with "Show more". */
const FEW = 8
const MANY = 100

/** The values of a dimension with the most clicks. A click on one filters the whole page. */
export function TopList({ report, dimension }: { report: Report; dimension: Listed }) {
  const i18n = useI18n()
  const { t, rich, format } = i18n
  const [limit, setLimit] = useState(FEW)
  const { question, period, interval } = report
  // The map beside the list has all countries.
  const asked = dimension === 'country' ? ALL_COUNTRIES : limit
  const list = useQuery(topQuery(question, period, dimension, asked))
  // A click on a link with several tags is in several rows.
  const isOverlapping = dimension === 'tag'
  const stats = useQuery({ ...statsQuery(question, period, interval), enabled: isOverlapping })
  if (list.isError) return <p className="py-3 text-bad">{errorText(list.error, i18n)}</p>
  if (list.data === undefined) return <TopSkeleton />
  const data = list.data.data.slice(0, limit)
  const sum = list.data.data.reduce((sum, { clicks }) => sum + clicks, list.data.other.clicks)
  const other = { clicks: data.reduce((rest, { clicks }) => rest - clicks, sum) }
  const all = isOverlapping ? (stats.data?.totals.clicks ?? sum) : sum
  const most = Math.max(1, ...data.map(({ clicks }) => clicks))
  if (data.length === 0) {
    return <p className="py-3 text-muted">{t('statistics.empty.title')}</p>
  }
  return (
    <div className="flex flex-col gap-1">
      <div className="flex gap-2 text-faint text-xs">
        <span className="flex-1 px-2">{t(`statistics.dimension.${dimension}`)}</span>
        <span className="w-16 text-end">{t('statistics.rows.clicks')}</span>
        <span className="hidden w-14 text-end sm:block">{t('statistics.rows.share')}</span>
        <span className="w-16 text-end">{t('statistics.rows.people')}</span>
      </div>
      <ul className="flex flex-col gap-0.5">
        {data.map((value) => (
          <TopRow
            key={value.value ?? ''}
            report={report}
            dimension={dimension}
            value={value}
            most={most}
            all={all}
          />
        ))}
        {other.clicks > 0 ? (
          <li className="flex h-7 items-center gap-2 text-muted text-sm">
            <span className="flex-1 px-2">{t('statistics.others')}</span>
            <span className="tabular w-16 text-end">{format.number(other.clicks)}</span>
            <span className="tabular hidden w-14 text-end text-faint sm:block">
              {isOverlapping ? null : format.percentColumn(other.clicks / all)}
            </span>
            <span className="w-16" />
          </li>
        ) : null}
      </ul>
      {isOverlapping && sum > all ? (
        <p className="px-2 text-faint text-xs">{t('statistics.tagsOverlap')}</p>
      ) : null}
      {isPlaceUnknown(dimension, data) && !question.shared ? (
        <p className="px-2 text-faint text-xs">
          {rich('statistics.placesMissing', { code: (text) => <code>{text}</code> })}
        </p>
      ) : null}
      {limit === FEW && other.clicks > 0 ? (
        <Button size="sm" variant="ghost" className="self-start" onClick={() => setLimit(MANY)}>
          {t('statistics.more')}
        </Button>
      ) : limit === MANY ? (
        <Button size="sm" variant="ghost" className="self-start" onClick={() => setLimit(FEW)}>
          {t('statistics.less')}
        </Button>
      ) : null}
    </div>
  )
}

/** Whether the values are unknown because the built-in database has only countries. */
function isPlaceUnknown(dimension: Listed, values: readonly TopValue[]): boolean {
  const isPlace = dimension === 'region' || dimension === 'city'
  return isPlace && values.length === 1 && !values[0]?.value
}

function TopRow({
  report,
  dimension,
  value,
  most,
  all,
}: {
  report: Report
  dimension: Listed
  value: TopValue
  most: number
  /** The clicks of all values. */
  all: number
}) {
  const i18n = useI18n()
  const { t, format } = i18n
  const name = value.short_url
    ? shortName(value.short_url)
    : (value.name ?? valueName(dimension, value.value, i18n))
  const text = value.value ?? ''
  // Purged links and links without a tag can't be filtered by, nor shared ones.
  const isOfLinks = dimension === 'link' || isGroup(dimension)
  const fixed = isOfLinks && (value.value === null || report.question.shared)
  const filter = (match: 'is' | 'not') => {
    const add = match === 'is' ? narrowedTo : withFilter
    report.setFilters(add(report.filters, { dimension, value: text, match }))
  }
  const row = (
    <>
      <span
        aria-hidden="true"
        className="absolute inset-y-0 start-0 rounded-xs bg-bar"
        style={{ width: `${(value.clicks / most) * 100}%` }}
      />
      <span className="relative flex min-w-0 flex-1 items-center">
        <Mark dimension={dimension} value={value.value} />
        <bdi className="truncate">{name}</bdi>
        {value.destination_url ? (
          <bdi
            dir="ltr"
            className="ms-2 shrink-9999 truncate text-faint"
            title={value.destination_url}
          >
            {shortName(value.destination_url)}
          </bdi>
        ) : null}
      </span>
    </>
  )
  return (
    <li className="group flex h-7 items-center gap-2 text-sm pointer-coarse:h-10">
      {fixed ? (
        <span className="relative flex h-full min-w-0 flex-1 items-center px-2">{row}</span>
      ) : (
        <span className="relative flex h-full min-w-0 flex-1 items-center">
          <button
            type="button"
            title={name}
            aria-label={t('statistics.filter.by', { value: name })}
            onClick={() => filter('is')}
            className="relative flex h-full min-w-0 flex-1 items-center px-2 underline-offset-2 hover:underline"
          >
            {row}
          </button>
          {isGroup(dimension) ? null : (
            <IconButton
              size="sm"
              label={t('statistics.filter.without', { value: name })}
              icon={<Minus />}
              className="end-0 hover:bg-pressed [@media(hover:hover)]:absolute! [@media(hover:hover)]:opacity-0 group-hover:opacity-100 focus-visible:opacity-100"
              onClick={() => filter('not')}
            />
          )}
        </span>
      )}
      <span className="tabular w-16 text-end">{format.number(value.clicks)}</span>
      <span className="tabular hidden w-14 text-end text-faint sm:block">
        {format.percentColumn(all === 0 ? 0 : value.clicks / all)}
      </span>
      <span className="tabular w-16 text-end text-muted">{format.number(value.unique)}</span>
    </li>
  )
}

function TopSkeleton() {
  const { t } = useI18n()
  return (
    <div className="flex flex-col gap-2 pt-5">
      <Loading label={t('common.loading')} />
      {[90, 70, 50, 30].map((width) => (
        <Skeleton key={width} className="h-5 w-full" />
      ))}
    </div>
  )
}
