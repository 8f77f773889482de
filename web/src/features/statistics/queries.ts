import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, ok, request, type Schemas } from '../../api/client.ts'
import { ApiError } from '../../api/errors.ts'
import { pagedQuery } from '../../api/paged-query.ts'
import { workspaceKey } from '../../api/workspace-key.ts'
import { type Filter, type Listed, parameterOf } from './filters.ts'
import { addDays, dayIn, type Interval, type Period } from './range.ts'
import type { Bots } from './search.ts'

export type Stats = Schemas['Stats']
export type TopList = Omit<Schemas['TopList'], 'data'> & { data: TopValue[] }
/** A value of a dimension; null: none, or unknown. Links have their URL and title. */
export type TopValue = Schemas['TopList']['data'][number] & {
  /** Of a link, if destinations are shared. */
  destination_url?: string | null
}
/** Clicks, unique visitors among them, and bots. */
export type Counts = Stats['totals']
/** A click, as in the stream. */
export type Click = Schemas['Click']
/** A click of a list, with its link's short URL; absent: the list is of one link, or it is gone. */
export type ListedClick = Click & { short_url?: string | undefined }

/** The query of a report. */
export interface Question {
  workspace: string
  /** Null: the whole workspace. */
  linkId: string | null
  /** About shared statistics, whose token is in the requests' base path. */
  shared: boolean
  zone: string
  bots: Bots
  filters: readonly Filter[]
}

type Query = Record<string, string | number | string[]>

/** The part of the path that identifies whose clicks are meant. */
export function pathOf({ linkId, shared }: Pick<Question, 'linkId' | 'shared'>): string {
  if (shared) return ''
  return linkId === null ? '/api/v1' : `/api/v1/links/${encodeURIComponent(linkId)}`
}

/** Zone, bots and filters as parameters; several about one dimension become a list. */
export function queryOf({ zone, bots, filters, shared }: Question): Query {
  const query: Query = { timezone: zone, ...(!shared && { bots }) }
  for (const filter of filters) {
    const name = parameterOf(filter)
    query[name] = [...((query[name] as string[] | undefined) ?? []), filter.value]
  }
  return query
}

/** The days of a period. The current one ends now, so that no empty hours follow. */
export function rangeOf({ from, to }: Period, zone: string): Query {
  return to > dayIn(zone) ? { from } : { from, to: addDays(to, -1) }
}

/** As much of the previous period as has passed of the current one: a fair comparison. */
function rangeBefore(period: Period, before: Period, zone: string): Query {
  if (period.to <= dayIn(zone)) return rangeOf(before, zone)
  const days = Date.parse(period.from) - Date.parse(before.from)
  return { from: before.from, to: new Date(Date.now() - days).toISOString() }
}

/** Whether the statistics process is busy or restarting: retried until it succeeds. */
export const isUnavailable = (error: unknown) => error instanceof ApiError && error.status === 503

const common = {
  placeholderData: keepPreviousData,
  staleTime: 30_000,
  retry: false,
  refetchInterval: ({ state }: { state: { error: unknown } }) =>
    isUnavailable(state.error) ? 5_000 : false,
} as const

export const statsQuery = (question: Question, period: Period, interval: Interval) =>
  queryOptions({
    ...common,
    queryKey: workspaceKey(question.workspace, 'stats', question, period, interval),
    queryFn: ({ signal }) => {
      const query = { ...queryOf(question), ...rangeOf(period, question.zone), interval }
      const path = `${pathOf(question)}/stats`
      return request<Stats>('GET', path, { query, signal })
    },
  })

export const statsBeforeQuery = (
  question: Question,
  period: Period,
  before: Period | null,
  interval: Interval,
) =>
  queryOptions({
    ...common,
    enabled: before !== null,
    queryKey: workspaceKey(question.workspace, 'stats', question, before, interval, 'before'),
    queryFn: ({ signal }) => {
      const range = rangeBefore(period, before ?? period, question.zone)
      const query = { ...queryOf(question), ...range, interval }
      const path = `${pathOf(question)}/stats`
      return request<Stats>('GET', path, { query, signal })
    },
  })

const RECENT_MS = 5 * 60_000

/** The visitors of the last five minutes. */
export const recentQuery = (question: Question) =>
  queryOptions({
    queryKey: workspaceKey(question.workspace, 'stats', question, 'recent'),
    async queryFn({ signal }) {
      const from = new Date(Date.now() - RECENT_MS).toISOString()
      const query = { ...queryOf(question), from, interval: 'hour' }
      const { totals } = await request<Stats>('GET', `${pathOf(question)}/stats`, { query, signal })
      return totals.unique
    },
    // Not while the page is in the background.
    refetchInterval: 15_000,
    retry: false,
  })

/** More than there are; the most values that a shared list may have. */
export const ALL_COUNTRIES = 300

export const topQuery = (question: Question, period: Period, dimension: Listed, limit: number) =>
  queryOptions({
    ...common,
    queryKey: workspaceKey(question.workspace, 'stats', question, period, 'top', dimension, limit),
    queryFn: ({ signal }) => {
      const query = { ...queryOf(question), ...rangeOf(period, question.zone), limit }
      return request<TopList>('GET', `${pathOf(question)}/stats/${dimension}`, { query, signal })
    },
  })

const CLICKS_PAGE = 50

/** The clicks of a report, newest first, a page at a time. */
export function clicksQuery(question: Question, period: Period) {
  const list = pagedQuery(
    workspaceKey(question.workspace, 'stats', question, period, 'single'),
    async (cursor, signal) => {
      const range = rangeOf(period, question.zone)
      const query = { ...queryOf(question), ...range, limit: CLICKS_PAGE, ...cursor }
      const path = `${pathOf(question)}/clicks`
      const page = await request<Schemas['ClickList']>('GET', path, { query, signal })
      const urls =
        question.linkId === null ? await shortUrlsOf(page.data, signal) : new Map<string, string>()
      const data: ListedClick[] = page.data.map((click) => ({
        ...click,
        short_url: urls.get(click.link_id ?? ''),
      }))
      return { ...page, data }
    },
  )
  const { placeholderData: _, ...settings } = common
  return { ...list, ...settings }
}

/** The short URLs of the clicks' links, in one request; deleted links have none. */
async function shortUrlsOf(clicks: readonly Click[], signal: AbortSignal) {
  const id = [...new Set(clicks.flatMap(({ link_id }) => link_id ?? []))]
  if (id.length === 0) return new Map<string, string>()
  const query = { id, archived: 'any', limit: CLICKS_PAGE, total: 'quick' } as const
  const { data } = await ok(api.GET('/api/v1/links', { params: { query }, signal }))
  return new Map(data.map((link) => [link.id, link.short_url]))
}

/** The link in the heading of its statistics. */
export const linkHeadQuery = (workspace: string, id: string) =>
  queryOptions({
    queryKey: workspaceKey(workspace, 'links', 'head', id),
    queryFn: ({ signal }) =>
      ok(api.GET('/api/v1/links/{id}', { params: { path: { id } }, signal })),
  })
