import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { useI18n } from '../../i18n/index.tsx'
import { narrowedTo } from './filters.ts'
import { leastOf, MAP_HEIGHT, MAP_WIDTH, shadeOf, worldShapes } from './map-shapes.ts'
import { ALL_COUNTRIES, topQuery } from './queries.ts'
import type { Report } from './use-report.ts'
import { countryName } from './words.ts'

const SHADES = [1, 2, 3, 4, 5] as const

/** The color of a shade: one hue from lighter to darker, distinguishable by lightness. */
function fillOf(shade: number): string {
  if (shade === 0) return 'var(--pressed)'
  return `color-mix(in oklab, var(--accent) ${25 + shade * 15}%, var(--canvas))`
}

/**
 * Clicks by country. The list beside it has the same data and is accessible by keyboard; here the
 * pointer shows numbers, and a click filters.
 */
export default function WorldMap({ report }: { report: Report }) {
  const i18n = useI18n()
  const { t, format } = i18n
  const shapes = useMemo(worldShapes, [])
  const { question, period } = report
  const list = useQuery(topQuery(question, period, 'country', ALL_COUNTRIES))
  const [pointed, setPointed] = useState<string | null>(null)
  const clicks = new Map(
    list.data?.data.flatMap(({ value, clicks: count }) =>
      value === null ? [] : [[String(value), count] as const],
    ),
  )
  const most = Math.max(0, ...clicks.values())
  const top = [...clicks].find(([, count]) => count === most)?.[0]
  const summary = t('statistics.map.summary', {
    countries: clicks.size,
    top: top === undefined ? '' : countryName(top, i18n),
  })
  return (
    <figure className="flex flex-col gap-2">
      <svg
        role="img"
        aria-label={summary}
        viewBox={`0 0 ${MAP_WIDTH} ${MAP_HEIGHT}`}
        className="w-full"
        onPointerLeave={() => setPointed(null)}
      >
        {shapes.map(({ country, path }) => {
          const count = clicks.get(country) ?? 0
          return (
            // biome-ignore lint/a11y/noStaticElementInteractions: the list beside is for keyboards
            <path
              key={country || path.slice(0, 20)}
              d={path}
              fill={fillOf(shadeOf(count, most))}
              stroke={pointed === country && country !== '' ? 'var(--fg)' : 'var(--canvas)'}
              strokeWidth={0.75}
              className={count > 0 ? 'cursor-pointer' : ''}
              onPointerEnter={() => setPointed(country)}
              onClick={() => {
                if (count === 0) return
                const filter = { dimension: 'country', value: country, match: 'is' } as const
                report.setFilters(narrowedTo(report.filters, filter))
              }}
            />
          )
        })}
      </svg>
      <figcaption className="flex min-h-5 flex-wrap items-center justify-between gap-x-4 gap-y-1 text-muted text-xs">
        <span aria-hidden="true">
          {pointed
            ? t('common.labelled', {
                label: countryName(pointed, i18n),
                value: clicks.get(pointed) ?? 0,
              })
            : ''}
        </span>
        {most > 0 ? (
          <span className="tabular flex items-center gap-2">
            {t('statistics.map.legend')}
            {SHADES.filter(
              (shade) => shade === 5 || leastOf(shade, most) < leastOf(shade + 1, most),
            ).map((shade) => (
              <span key={shade} className="flex items-center gap-1">
                <svg width="10" height="10" aria-hidden="true">
                  <rect width="10" height="10" rx="2" fill={fillOf(shade)} />
                </svg>
                {format.compact(leastOf(shade, most))}
                {shade === 5 ? '+\u200e' : ''}
              </span>
            ))}
          </span>
        ) : null}
      </figcaption>
    </figure>
  )
}
