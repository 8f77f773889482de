import { BOTS_MODES } from '@src/statistics/columns.ts'
import { defined, listOf, oneOf, textOf } from '../../app/search-params.ts'
import { isListed, type Listed } from './filters.ts'
import {
  COMPARISONS,
  type Comparison,
  INTERVALS,
  type Interval,
  isDay,
  isTimeZone,
  RANGES,
  type Range,
} from './range.ts'

/** Which clicks count. */
export type Bots = (typeof BOTS_MODES)[number]

/** The count in the chart. */
export const METRICS = ['clicks', 'unique', 'bots'] as const
export type Metric = (typeof METRICS)[number]

/** All parameters of a page of statistics, as in the URL. */
export interface StatisticsSearch {
  range?: Range
  /** Days of the range `custom`, both included. */
  from?: string
  to?: string
  /** Default: the previous period. */
  compare?: Comparison
  /** The first day of the compared period, with `compare=custom`. */
  against?: string
  interval?: Interval
  zone?: string
  bots?: Bots
  metric?: Metric
  /** `country:DE`, `not_browser:Firefox`. */
  filter?: string[]
  /** The chosen top lists, except those that are shown first. */
  lists?: Listed[]
  view?: 'table'
  /** What is below the controls; default: the report. */
  tab?: 'clicks'
  /** The live view is on. */
  live?: 'on'
}

export function statisticsSearch(search: Record<string, unknown>): StatisticsSearch {
  const from = textOf(search.from)
  const to = textOf(search.to)
  const against = textOf(search.against)
  const zone = textOf(search.zone)
  return defined({
    range: oneOf(search.range, RANGES),
    from: isDay(from) ? from : undefined,
    to: isDay(to) ? to : undefined,
    compare: oneOf(search.compare, COMPARISONS),
    against: isDay(against) ? against : undefined,
    interval: oneOf(search.interval, INTERVALS),
    zone: zone !== undefined && isTimeZone(zone) ? zone : undefined,
    bots: oneOf(search.bots, BOTS_MODES),
    metric: oneOf(search.metric, METRICS),
    filter: listOf(search.filter),
    lists: listOf(search.lists)?.filter(isListed),
    view: oneOf(search.view, ['table'] as const),
    tab: oneOf(search.tab, ['clicks'] as const),
    live: oneOf(search.live, ['on'] as const),
  })
}
