import { MATCHES, PREFIXES } from '@src/statistics/columns.ts'
import type { View } from '../links/views/queries.ts'
import { filterText, parameterOf, parseFilters } from './filters.ts'
import type { Question } from './queries.ts'
import type { StatisticsSearch } from './search.ts'

/** The content of saved filters. */
export type SavedReport = NonNullable<View['report']>

/** The filters of a report, as the content of a saved view. */
export function contentOf({ filters, bots }: Pick<Question, 'filters' | 'bots'>): {
  report: SavedReport
} {
  const saved: Record<string, string[]> = {}
  for (const filter of filters) {
    const name = parameterOf(filter)
    saved[name] = [...(saved[name] ?? []), filter.value]
  }
  return { report: { filters: saved, bots } }
}

/** Saved filters as search parameters of the statistics. */
export function searchOfReport({ report }: Pick<View, 'report'>) {
  const texts = Object.entries(report?.filters ?? {}).flatMap(([name, values]) => {
    const match = MATCHES.findLast((known) => name.startsWith(PREFIXES[known])) ?? 'is'
    const dimension = name.slice(PREFIXES[match].length).replace(/^(link|folder)_id$/, '$1')
    return values.map((value) => `${PREFIXES[match]}${dimension}:${value}`)
  })
  const filter = parseFilters(texts).map(filterText)
  const bots = report?.bots === 'exclude' ? undefined : report?.bots
  return { filter: filter.length === 0 ? undefined : filter, bots } satisfies {
    [K in keyof StatisticsSearch]: StatisticsSearch[K] | undefined
  }
}

/** Whether two select the same clicks, in whatever order. */
export function isSameReport(one: Pick<View, 'report'>, other: Pick<View, 'report'>): boolean {
  const textOf = (view: Pick<View, 'report'>) => {
    const { filter = [], bots } = searchOfReport(view)
    return JSON.stringify([filter.toSorted(), bots])
  }
  return textOf(one) === textOf(other)
}
