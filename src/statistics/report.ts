import type { z } from '@hono/zod-openapi'
import { findLink } from '../features/links/index.ts'
import { viewOf } from '../lib/base/view.ts'
import { invalid } from '../lib/errors/index.ts'
import { formatTimestamp } from '../lib/validation/timestamp.ts'
import type { Rule, Variant } from '../redirect/rules/index.ts'
import { isGroup } from './columns.ts'
import { BUCKETS_MAX, bucketStarts, DAY_MS, defaultInterval, type Interval } from './intervals.ts'
import { hasTooManyMembers, MEMBERS_MAX, namesOfGroups } from './members.ts'
import type { ClicksQuery } from './query.ts'
import { reportRange } from './range.ts'
import type { StatsSchema, TopSchema } from './schemas.ts'
import {
  FIRST_CLICK_MS,
  type Question,
  type StatisticsContext,
  type StatisticsReader,
  select,
} from './selection.ts'
import { findLinkSeqs, findLinks, sumImported } from './store.ts'
import type {
  ClickReports,
  Counts,
  Dimension,
  Group,
  Listed,
  Selection,
  Series,
  TopValues,
} from './types.ts'

type TopList = z.output<typeof TopSchema>

const NONE: Counts = { clicks: 0, unique: 0, bots: 0 }

/**
 * Clicks over time.
 * @throws AppError VALIDATION_FAILED, LINK_NOT_FOUND, SERVICE_UNAVAILABLE
 */
export async function stats(
  ctx: StatisticsContext,
  question: Question<ClicksQuery & { interval?: Interval | undefined }>,
): Promise<z.output<typeof StatsSchema>> {
  const { query } = question
  const range = reportRange(query, ctx.clock.now())
  const interval = query.interval ?? defaultInterval(range.from, range.to)
  const starts = bucketStarts(range, interval, query.zone)
  if (starts === null) {
    throw invalid({ field: 'interval', code: 'TOO_MANY_INTERVALS', params: { max: BUCKETS_MAX } })
  }
  const selection = await select(ctx, question, range)
  const [{ totals, buckets }, imported_clicks] = await Promise.all([
    series(ctx.reports, selection, starts),
    importedClicks(ctx, selection),
  ])
  return {
    from: formatTimestamp(range.from),
    to: formatTimestamp(range.to),
    interval,
    timezone: query.zone,
    totals,
    imported_clicks,
    series: starts.map((start, i) => ({
      start: formatTimestamp(start),
      ...(buckets[i] ?? NONE),
    })),
  }
}

/** Nothing else is known of imported clicks: of a part of the clicks it can't be told. */
async function importedClicks(
  { storage }: StatisticsContext,
  selection: Selection,
): Promise<number | null> {
  const isPart = selection.filters.length > 0 || selection.bots === 'only'
  return isPart ? null : sumImported(storage.reports, selection)
}

/** The counts of every bucket. Buckets before the first possible click are not queried. */
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
 * The values of a dimension with the most clicks, or the tags or folders.
 * @throws AppError VALIDATION_FAILED, LINK_NOT_FOUND, SERVICE_UNAVAILABLE
 */
export async function top(
  ctx: StatisticsContext,
  question: Question<ClicksQuery & { limit: number }>,
  dimension: Listed,
): Promise<TopList> {
  const { query } = question
  const selection = await select(ctx, question, reportRange(query, ctx.clock.now()))
  if (isGroup(dimension)) return topGroups(ctx, question, dimension, selection)
  const list = await ctx.reports.top(selection, dimension, query.limit)
  if (dimension === 'link') return namedLinks(ctx, list)
  const names = isDecision(dimension) ? await namesOf(ctx, question, dimension) : null
  const textOf = (value: string | number) =>
    dimension === 'domain' ? ctx.domains.hostOf(Number(value)) : String(value)
  return {
    data: list.values.map(({ value, ...counts }) => ({
      value: value === null ? null : textOf(value),
      ...(names !== null && { name: names.get(String(value)) ?? null }),
      ...counts,
    })),
    other: list.other,
  }
}

/**
 * The tags or folders of the links with the most clicks. One that the reader can't see has no clicks,
 * unless a link has just been moved there: then it is part of the others.
 */
async function topGroups(
  { reports, storage }: StatisticsContext,
  { caller, query }: Question<ClicksQuery & { limit: number }>,
  by: Group,
  selection: Selection,
): Promise<TopList> {
  const { no } = caller.workspace
  if (await hasTooManyMembers(storage.reports, no, by)) {
    throw invalid({ field: 'dimension', code: 'TOO_MANY', params: { max: MEMBERS_MAX } })
  }
  const { values, other } = await reports.top(selection, by, query.limit)
  const ids = values.flatMap(({ value }) => (value === null ? [] : [String(value)]))
  const names = await namesOfGroups(storage.reports, no, by, ids, viewOf(caller))
  return listOf({ values, other }, ({ value, ...counts }) => {
    if (value === null) return { value, ...(by === 'folder' && { name: null }), ...counts }
    const name = names.get(String(value))
    if (name === undefined) return undefined
    return { ...(by === 'tag' ? { value: name } : { value: String(value), name }), ...counts }
  })
}

/** A list of those rows that can be shown; the others are part of the rest. */
function listOf(
  { values, other }: TopValues,
  rowOf: (value: TopValues['values'][number]) => TopList['data'][number] | undefined,
): TopList {
  const rest = { ...other }
  const data = values.flatMap((value) => {
    const row = rowOf(value)
    if (row !== undefined) return [row]
    rest.clicks += value.clicks
    rest.bots += value.bots
    return []
  })
  return { data, other: rest }
}

const isDecision = (dimension: Dimension) => dimension === 'rule' || dimension === 'variant'

/** What a link's rules or variants are called now; null: it is a question about many links. */
async function namesOf(
  { storage }: StatisticsContext,
  { linkId, caller }: Question,
  dimension: Dimension,
): Promise<ReadonlyMap<string, string> | null> {
  if (linkId === null) return null
  const link = await findLink(storage.read, linkId, caller)
  const rules = JSON.parse(link?.rules ?? '[]') as Rule[]
  const variants = JSON.parse(link?.variants ?? '[]') as Variant[]
  const all =
    dimension === 'rule'
      ? rules
      : [...rules.flatMap(({ then }) => then.variants ?? []), ...variants]
  return new Map(all.flatMap(({ id, name }) => (name === undefined ? [] : [[id, name]])))
}

/** Links with their names. A purged link, whose clicks are deleted soon, is part of the others. */
async function namedLinks(
  { storage, domains }: StatisticsContext,
  list: TopValues,
): Promise<TopList> {
  const seqs = list.values.map(({ value }) => Number(value))
  const links = new Map((await findLinks(storage.reports, 'seq', seqs)).map((it) => [it.seq, it]))
  return listOf(list, ({ value, ...counts }) => {
    const link = links.get(Number(value))
    if (link === undefined) return undefined
    const { id, title, domain_no, slug } = link
    return { value: id, short_url: domains.shortUrl(domain_no, slug), title, ...counts }
  })
}

/** How many UTC days a sparkline has, today included. */
const SPARKLINE_DAYS = 30

/**
 * Human clicks per UTC day, oldest first, by the links' ids. Unknown links are left out.
 * @throws AppError SERVICE_UNAVAILABLE
 */
export async function sparklines(
  { storage, clock, reports }: StatisticsContext,
  caller: StatisticsReader,
  ids: readonly string[],
): Promise<Record<string, number[]>> {
  const seqs = await findLinkSeqs(storage.read, ids, caller.workspace.no, viewOf(caller))
  if (seqs.size === 0) return {}
  const firstDay = Math.floor(clock.now() / DAY_MS) - SPARKLINE_DAYS + 1
  const days = new Map(await reports.daily([...seqs.values()], firstDay, SPARKLINE_DAYS))
  const none = Array.from({ length: SPARKLINE_DAYS }, () => 0)
  return Object.fromEntries([...seqs].map(([id, seq]) => [id, days.get(seq) ?? none]))
}
