import { AppError } from '../errors/index.ts'
import { formatTimestamp } from '../validation/timestamp.ts'
import { ask } from './ask.ts'
import { BUCKETS_MAX, bucketStarts, defaultInterval, type Interval } from './intervals.ts'
import type { LinkNames } from './names.ts'
import { type Asked, TOP_LIMIT_DEFAULT } from './query.ts'
import { reportRange } from './range.ts'
import {
  botsOf,
  FIRST_CLICK_MS,
  type SelectionContext,
  type StatisticsCaller,
  select,
} from './selection.ts'
import type { ClickReports, Counts, Dimension, Selection, Series } from './types.ts'

/** What reports work with. */
export interface ReportContext extends SelectionContext {
  reports: ClickReports
  names: LinkNames
  hostOf: (domainNo: number) => string
}

/** Numbers over time, as the API gives them out. */
export interface Stats {
  from: string
  to: string
  interval: Interval
  timezone: string
  totals: Counts
  series: ({ start: string } & Counts)[]
}

/** One value of a top list. */
export interface TopValue extends Counts {
  value: string | number | null
  short_url?: string
  title?: string | null
}

/** The values with the most clicks, and all others together. */
export interface TopList {
  data: TopValue[]
  other: Counts
}

const NONE: Counts = { clicks: 0, unique: 0, bots: 0 }

/**
 * Clicks over time.
 * @throws AppError VALIDATION_FAILED, LINK_NOT_FOUND, SERVICE_UNAVAILABLE
 */
export async function stats(
  ctx: ReportContext,
  caller: StatisticsCaller,
  linkId: string | null,
  asked: Asked & { interval?: Interval | undefined },
): Promise<Stats> {
  const range = reportRange(asked, asked.zone, ctx.clock.now())
  const interval = asked.interval ?? defaultInterval(range.from, range.to)
  const starts = bucketStarts(range, interval, asked.zone)
  if (starts === null) {
    throw new AppError('VALIDATION_FAILED', {
      details: [{ field: 'interval', code: 'TOO_MANY_INTERVALS', params: { max: BUCKETS_MAX } }],
    })
  }
  const selection = await select(ctx, caller, linkId, asked, range, botsOf(asked, 'exclude'))
  const { totals, buckets } = await ask(series(ctx.reports, selection, starts))
  return {
    from: formatTimestamp(range.from),
    to: formatTimestamp(range.to),
    interval,
    timezone: asked.zone,
    totals: pick(totals),
    series: starts.map((start, i) => ({
      start: formatTimestamp(start),
      ...(buckets[i] ?? NONE),
    })),
  }
}

/** The counts of every bucket; those before the first click are not asked for. */
async function series(
  reports: ClickReports,
  selection: Selection,
  starts: readonly number[],
): Promise<Series> {
  const ends = [...starts.slice(1), selection.to]
  const empty = ends.findLastIndex((end) => end <= FIRST_CLICK_MS) + 1
  const rest = ends.slice(empty)
  const nothing = Array.from({ length: empty }, () => NONE)
  if (rest.length === 0) return { totals: NONE, buckets: nothing }
  const first = Math.max(starts[empty] as number, selection.from)
  const { totals, buckets } = await reports.series({ ...selection, from: first }, [first, ...rest])
  return { totals, buckets: [...nothing, ...buckets] }
}

/**
 * The values of a dimension with the most clicks.
 * @throws AppError VALIDATION_FAILED, LINK_NOT_FOUND, SERVICE_UNAVAILABLE
 */
export async function top(
  ctx: ReportContext,
  caller: StatisticsCaller,
  linkId: string | null,
  dimension: Dimension,
  asked: Asked & { limit?: number | undefined },
): Promise<TopList> {
  const range = reportRange(asked, asked.zone, ctx.clock.now())
  const selection = await select(ctx, caller, linkId, asked, range, botsOf(asked, 'exclude'))
  const limit = asked.limit ?? TOP_LIMIT_DEFAULT
  const { values, other } = await ask(ctx.reports.top(selection, dimension, limit))
  if (dimension === 'link') return namedLinks(ctx, values, other)
  return {
    data: values.map(({ value, ...counts }) => ({
      value: dimension === 'domain' ? ctx.hostOf(Number(value)) : value,
      ...pick(counts),
    })),
    other: pick(other),
  }
}

/** Links by their ids. One that is gone for good, its clicks soon too, is among the others. */
async function namedLinks(
  { names }: ReportContext,
  values: readonly (Counts & { value: string | number | null })[],
  other: Counts,
): Promise<TopList> {
  const known = await names.of(values.map(({ value }) => Number(value)))
  const data: TopValue[] = []
  const rest = pick(other)
  for (const { value, ...counts } of values) {
    const name = known.get(Number(value))
    if (name === undefined) {
      rest.clicks += counts.clicks
      rest.unique += counts.unique
      rest.bots += counts.bots
      continue
    }
    const { id, title } = name
    data.push({ value: id, short_url: names.shortUrl(name), title, ...pick(counts) })
  }
  return { data, other: rest }
}

/** The counts alone, in the order of the contract. */
function pick({ clicks, unique, bots }: Counts): Counts {
  return { clicks, unique, bots }
}
