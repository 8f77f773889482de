import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { usePlace } from '../../app/workspace.tsx'
import type { Question } from './calls.ts'
import { type Filter, filterText, isGroup, parseFilters } from './filters.ts'
import {
  type Comparison,
  comparedPeriod,
  type Interval,
  intervalFor,
  intervalsFor,
  ownTimeZone,
  type Period,
  periodOf,
  type Range,
} from './range.ts'
import type { Metric, StatisticsSearch } from './search.ts'

/** A report as the address asks for it, and the way to ask for another one. */
export interface Report {
  search: StatisticsSearch
  question: Question
  range: Range
  period: Period
  comparison: Comparison
  /** What it is compared with; null: nothing. */
  before: Period | null
  interval: Interval
  intervals: readonly Interval[]
  metric: Metric
  filters: readonly Filter[]
  /** Changes some of it; undefined takes it out of the address. */
  change(changes: { [K in keyof StatisticsSearch]?: StatisticsSearch[K] | undefined }): void
  setFilters(filters: readonly Filter[]): void
}

/** Reads the address of a page of statistics. */
export function useReport(linkId: string | null): Report {
  const search: StatisticsSearch = useSearch({ strict: false })
  const navigate = useNavigate()
  const { workspace } = usePlace()
  const { range = '30d', from, to, zone = ownTimeZone(), bots = 'exclude', filter } = search
  const { compare: comparison = range === 'all' ? 'none' : 'period', against } = search
  return useMemo(() => {
    const period = periodOf({ range, from, to, since: workspace.created_at }, zone)
    const intervals = intervalsFor(period)
    const interval = intervals.find((one) => one === search.interval) ?? intervalFor(period)
    const filters = parseFilters(filter ?? []).filter(
      // A link's own page is about that link.
      ({ dimension }) => linkId === null || !isGroup(dimension),
    )
    const change: Report['change'] = (changes) => {
      const next = { ...search, ...changes } as StatisticsSearch
      void (linkId === null
        ? navigate({ to: '/statistics', search: next })
        : navigate({ to: '/links/$id/statistics', params: { id: linkId }, search: next }))
    }
    return {
      search,
      question: { workspace: workspace.id, linkId, zone, bots, filters },
      range,
      period,
      comparison,
      before: comparedPeriod(period, comparison, against),
      interval,
      intervals,
      metric: search.metric ?? 'clicks',
      filters,
      change,
      setFilters: (next) => change({ filter: next.map(filterText) }),
    }
  }, [
    search,
    range,
    from,
    to,
    zone,
    bots,
    filter,
    comparison,
    against,
    linkId,
    workspace,
    navigate,
  ])
}
