import { useQuery } from '@tanstack/react-query'
import { ArrowDown, ArrowUp } from 'lucide-react'
import { useI18n } from '../../i18n/index.tsx'
import { cx } from '../../ui/cx.ts'
import { type Filter, filterText, withFilter, withoutFilter } from './filters.ts'
import { type Counts, topQuery } from './queries.ts'
import { METRICS, type Metric } from './search.ts'
import type { Report } from './use-report.ts'

export const METRIC_NAMES = {
  clicks: 'statistics.clicks',
  unique: 'statistics.people',
  bots: 'statistics.bots',
} as const satisfies Record<Metric, string>

/** Clicks, visitors, bots: the chosen one is shown in the chart. */
export function Figures({
  report,
  totals,
  before,
}: {
  report: Report
  totals: Counts
  before: Counts | undefined
}) {
  const { t } = useI18n()
  return (
    <fieldset
      className={cx(
        'grid grid-cols-2 gap-2',
        report.shows('trigger') ? 'lg:grid-cols-4' : 'lg:grid-cols-3',
      )}
    >
      <legend className="sr-only">{t('statistics.view')}</legend>
      {METRICS.map((metric) => {
        const chosen = report.metric === metric
        return (
          <button
            key={metric}
            type="button"
            aria-pressed={chosen}
            title={metric === 'clicks' ? undefined : t(`${METRIC_NAMES[metric]}.hint` as never)}
            onClick={() => report.change({ metric: metric === 'clicks' ? undefined : metric })}
            className={cx(
              tileClass(chosen),
              // The last of three has a row of its own on a phone.
              metric === 'bots' && !report.shows('trigger') && 'max-lg:col-span-2',
            )}
          >
            <span className="text-muted text-sm">{t(METRIC_NAMES[metric])}</span>
            <span className="flex flex-wrap items-baseline gap-x-2 max-sm:flex-col max-sm:items-start">
              <Figure value={totals[metric]} />
              {before === undefined ? null : (
                <Change
                  now={totals[metric]}
                  before={before[metric]}
                  // More bots are neither good nor bad.
                  plain={metric === 'bots'}
                />
              )}
            </span>
          </button>
        )
      })}
      {report.shows('trigger') ? <Scans report={report} /> : null}
    </fieldset>
  )
}

const tileClass = (chosen: boolean) =>
  cx(
    'flex min-w-0 flex-col items-start justify-between gap-0.5 rounded-md border px-3 py-2 text-start transition-colors sm:px-4 sm:py-2.5',
    chosen ? 'border-line-strong bg-sunken' : 'border-line hover:bg-hover',
  )

function Figure({ value }: { value: number }) {
  const { format } = useI18n()
  return (
    <span className="tabular font-semibold text-2xl">
      {value < 100_000 ? format.number(value) : format.compact(value)}
    </span>
  )
}

const SCAN: Filter = { dimension: 'trigger', value: 'qr', match: 'is' }

/** How many clicks are scans of a QR code. Pressing it filters by these. */
function Scans({ report }: { report: Report }) {
  const { t, format } = useI18n()
  const { question, period, filters, setFilters } = report
  const triggers = useQuery(topQuery(question, period, 'trigger', 2)).data?.data
  const scans = triggers?.find(({ value }) => value === 'qr')?.clicks ?? 0
  const all = triggers?.reduce((sum, { clicks }) => sum + clicks, 0) ?? 0
  const chosen = filters.some((filter) => filterText(filter) === filterText(SCAN))
  return (
    <button
      type="button"
      aria-pressed={chosen}
      onClick={() => setFilters(chosen ? withoutFilter(filters, SCAN) : withFilter(filters, SCAN))}
      className={tileClass(chosen)}
    >
      <span className="text-muted text-sm">{t('statistics.scans')}</span>
      <span className="flex flex-wrap items-baseline gap-x-2 max-sm:flex-col max-sm:items-start">
        <Figure value={scans} />
        {all > 0 ? (
          <span className="tabular text-faint text-xs">
            {t('statistics.scans.share', { percent: format.percent(scans / all) })}
          </span>
        ) : null}
      </span>
    </button>
  )
}

/** The change from the compared period; arrow and words, not only color. */
function Change({ now, before, plain }: { now: number; before: number; plain: boolean }) {
  const { t, format } = useI18n()
  if (before === 0) {
    return (
      <span className="text-faint text-xs">
        {t(now === 0 ? 'statistics.change.none' : 'statistics.change.new')}
      </span>
    )
  }
  const share = (now - before) / before
  const percent = format.percent(Math.abs(share))
  if (now === before) {
    return <span className="text-faint text-xs">{t('statistics.change.none')}</span>
  }
  const more = share > 0
  const Arrow = more ? ArrowUp : ArrowDown
  return (
    <span
      className={cx(
        'tabular flex items-center gap-0.5 text-xs',
        plain ? 'text-faint' : more ? 'text-ok' : 'text-bad',
      )}
    >
      <Arrow size={12} />
      <span aria-hidden="true">{percent}</span>
      <span className="sr-only">
        {t(more ? 'statistics.change.up' : 'statistics.change.down', { percent })}
      </span>
    </span>
  )
}
