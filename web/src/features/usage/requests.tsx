import { useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { Button } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { Table, Td, Th } from '../../ui/table.tsx'
import type { Usage } from './queries.ts'

const HEIGHT = 140

/** API requests per minute of the last hour: bars from zero, those above the limit hatched. */
export function RequestChart({
  requests,
  limit,
}: {
  requests: Usage['requests']
  limit: number | null
}) {
  const { t, format, regional } = useI18n()
  const [table, setTable] = useState(false)
  const allowed = requests.reduce((sum, minute) => sum + minute.allowed, 0)
  const limited = requests.reduce((sum, minute) => sum + minute.limited, 0)
  const peak = Math.max(0, ...requests.map((minute) => minute.allowed + minute.limited))
  // The limit's line is only drawn if usage gets near it.
  const near = limit !== null && peak >= limit / 4
  const top = Math.max(4, peak, near ? limit : 0)
  const summary = t('usage.requests.summary', { allowed, limited })
  const clock = (minute: string) =>
    new Date(minute).toLocaleTimeString(regional, { hour: '2-digit', minute: '2-digit' })
  const [first, last] = [requests.at(0), requests.at(-1)]
  return (
    <Section
      title={t('usage.requests')}
      description={peak === 0 ? t('usage.requests.none') : summary}
      actions={
        peak === 0 ? null : (
          <Button size="sm" aria-pressed={table} onClick={() => setTable(!table)}>
            {t('usage.requests.table')}
          </Button>
        )
      }
    >
      {table && peak > 0 ? (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard
        <div className="max-h-80 overflow-y-auto" tabIndex={0}>
          <Table>
            <thead>
              <tr>
                <Th>{t('usage.requests.minute')}</Th>
                <Th end>{t('usage.requests.allowed')}</Th>
                <Th end>{t('usage.requests.limited')}</Th>
              </tr>
            </thead>
            <tbody>
              {requests.map((minute) => (
                <tr key={minute.minute}>
                  <Td>{clock(minute.minute)}</Td>
                  <Td end>{format.number(minute.allowed)}</Td>
                  <Td end>{format.number(minute.limited)}</Td>
                </tr>
              ))}
            </tbody>
          </Table>
        </div>
      ) : peak > 0 ? (
        <figure className="flex flex-col gap-1">
          <div className="flex gap-2">
            <div className="tabular flex w-10 shrink-0 flex-col justify-between text-end text-faint text-xs">
              <span>{format.compact(top)}</span>
              <span>0</span>
            </div>
            <svg
              role="img"
              aria-label={summary}
              viewBox={`0 0 600 ${HEIGHT}`}
              preserveAspectRatio="none"
              className="h-35 min-w-0 flex-1 rtl:-scale-x-100"
            >
              <defs>
                <pattern id="over" width="4" height="4" patternUnits="userSpaceOnUse">
                  <rect width="4" height="4" fill="var(--plot-2)" />
                  <rect width="4" height="1.5" fill="var(--canvas)" />
                </pattern>
              </defs>
              {requests.map((minute, at) => {
                const width = 600 / requests.length
                const good = (minute.allowed / top) * (HEIGHT - 2)
                const over = (minute.limited / top) * (HEIGHT - 2)
                const place = { x: at * width + 1, width: Math.max(1, width - 2) }
                return (
                  <g key={minute.minute}>
                    <rect {...place} y={HEIGHT - good} height={good} fill="var(--plot-1)" />
                    <rect {...place} y={HEIGHT - good - over} height={over} fill="url(#over)" />
                  </g>
                )
              })}
              <line
                x1="0"
                x2="600"
                y1={HEIGHT - 0.5}
                y2={HEIGHT - 0.5}
                stroke="var(--line-strong)"
              />
              {near ? (
                <line
                  x1="0"
                  x2="600"
                  y1={HEIGHT - (limit / top) * (HEIGHT - 2)}
                  y2={HEIGHT - (limit / top) * (HEIGHT - 2)}
                  stroke="var(--bad-mark)"
                  strokeDasharray="4 4"
                />
              ) : null}
            </svg>
          </div>
          <div className="tabular flex justify-between ps-12 text-faint text-xs">
            <span>{first ? clock(first.minute) : ''}</span>
            <span>{last ? clock(last.minute) : ''}</span>
          </div>
          <figcaption className="flex flex-wrap gap-x-5 gap-y-1 ps-12 pt-1 text-muted text-xs">
            <span className="flex items-center gap-1.5">
              <span className="size-2.5 rounded-xs bg-accent" />
              {t('usage.requests.allowed')}
            </span>
            {limited > 0 ? (
              <span className="flex items-center gap-1.5">
                <svg width="10" height="10" aria-hidden="true">
                  <rect width="10" height="10" fill="url(#over)" />
                </svg>
                {t('usage.requests.limited')}
              </span>
            ) : null}
            {near ? (
              <span className="flex items-center gap-1.5">
                <span className="w-3 border-bad-mark border-t-2 border-dashed" />
                {t('usage.requests.limit')}
              </span>
            ) : null}
          </figcaption>
        </figure>
      ) : null}
    </Section>
  )
}
