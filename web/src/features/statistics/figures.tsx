import { ArrowDown, ArrowUp } from 'lucide-react'
import { useI18n } from '../../i18n/index.tsx'
import { cx } from '../../ui/cx.ts'
import type { Counts } from './calls.ts'
import { METRICS, type Metric } from './search.ts'
import type { Report } from './use-report.ts'

export const METRIC_NAMES = {
  clicks: 'statistics.clicks',
  unique: 'statistics.people',
  bots: 'statistics.bots',
} as const satisfies Record<Metric, string>

/** Clicks, people, bots: the chosen one is what the chart shows. */
export function Figures({
  report,
  totals,
  before,
}: {
  report: Report
  totals: Counts
  before: Counts | undefined
}) {
  const { t, format } = useI18n()
  return (
    <fieldset className="grid grid-cols-3 gap-1 sm:flex sm:gap-2">
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
              'flex min-w-0 flex-col items-start justify-between gap-0.5 rounded-md border px-2.5 py-2 text-start transition-colors sm:min-w-40 sm:px-4 sm:py-2.5',
              chosen ? 'border-line-strong bg-sunken' : 'border-transparent hover:bg-hover',
            )}
          >
            <span className="text-muted text-sm">{t(METRIC_NAMES[metric])}</span>
            <span className="flex flex-wrap items-baseline gap-x-2">
              <span className="tabular font-semibold text-2xl">
                {totals[metric] < 100_000
                  ? format.number(totals[metric])
                  : format.compact(totals[metric])}
              </span>
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
    </fieldset>
  )
}

/** More or less than in the period before; arrow and words, not colour alone. */
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
      <Arrow size={12} aria-hidden="true" />
      <span aria-hidden="true">{percent}</span>
      <span className="sr-only">
        {t(more ? 'statistics.change.up' : 'statistics.change.down', { percent })}
      </span>
    </span>
  )
}
