import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import { type Filter, filterText, isGroup, type Listed, parseFilters } from './filters.ts'
import { comparedPeriod, intervalFor, intervalsFor, ownTimeZone, periodOf } from './range.ts'
import type { StatisticsSearch } from './search.ts'

/** The report of a URL, and functions to change it. */
export type Report = ReturnType<typeof reportOf>

/** Whose clicks a report is about. */
export interface Scope {
  workspace: string
  linkId: string | null
  /** The time of the first possible click. */
  since: string
  /** The shared dimensions; absent: it is the dashboard's own report. */
  shared?: readonly Listed[]
}

/** The report for `search`. `go` navigates to another. */
export function reportOf(
  search: StatisticsSearch,
  { workspace, linkId, since, shared }: Scope,
  go: (next: StatisticsSearch) => void,
) {
  const { range = '30d', from, to, zone = ownTimeZone(), bots = 'exclude', filter } = search
  const { compare: comparison = range === 'all' ? 'none' : 'period', against } = search
  const period = periodOf({ range, from, to, since }, zone)
  const intervals = intervalsFor(period)
  const interval = intervals.find((one) => one === search.interval) ?? intervalFor(period)
  /** Whether a dimension is part of it: all are, unless it is shared. */
  const shows = (dimension: Listed) => shared === undefined || shared.includes(dimension)
  const filters = parseFilters(filter ?? []).filter(({ dimension }) =>
    // A link's own page is about that link, and a share about its subject.
    isGroup(dimension) ? linkId === null && shared === undefined : shows(dimension),
  )
  /** Changes parameters; undefined removes one from the URL. */
  const change = (
    changes: {
      [K in keyof StatisticsSearch]?: StatisticsSearch[K] | undefined
    },
  ) => go({ ...search, ...changes } as StatisticsSearch)
  return {
    search,
    question: { workspace, linkId, shared: shared !== undefined, zone, bots, filters },
    range,
    period,
    comparison,
    /** The compared period; null: none. */
    before: comparedPeriod(period, comparison, against),
    interval,
    intervals,
    metric: search.metric ?? 'clicks',
    filters,
    shows,
    change,
    setFilters: (next: readonly Filter[]) => change({ filter: next.map(filterText) }),
  }
}

/** Reads the URL of a page of statistics. */
export function useReport(linkId: string | null): Report {
  const search: StatisticsSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const { workspace } = usePlace()
  return useMemo(() => {
    const scope = { workspace: workspace.id, linkId, since: workspace.created_at }
    return reportOf(search, scope, (next) => {
      void (linkId === null
        ? navigate({ to: '/statistics', search: next })
        : navigate({ to: '/links/$id/statistics', params: { id: linkId }, search: next }))
    })
  }, [search, linkId, workspace, navigate])
}
