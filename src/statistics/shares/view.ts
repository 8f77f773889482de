import { brandOf } from '../../features/domains/rows.ts'
import { hiddenFoldersOf } from '../../features/folders/index.ts'
import { permissionsOf } from '../../features/members/roles.ts'
import type { Clock } from '../../lib/base/clock.ts'
import { verifyNormalized } from '../../lib/base/passwords.ts'
import { withContext } from '../../lib/base/verbs.ts'
import type { Reader } from '../../lib/base/view.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import type { BlockList } from '../../model/blocks/list.ts'
import { DEFAULT_DOMAIN, type Domains } from '../../model/domains/index.ts'
import type { HashQueue } from '../../platform/limits/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { GuessLimit } from '../../redirect/index.ts'
import { parameterOf, readFilter } from '../filters.ts'
import type { ClicksQuery } from '../query.ts'
import type { StatisticsService } from '../service.ts'
import type { Filter, Listed } from '../types.ts'
import { seenLinks, seenShares } from './check.ts'
import { createResults } from './results.ts'
import { dimensionsOf, type Show } from './show.ts'
import { addView, type FoundShare, findBrand, findLinks, findShares, roleOf } from './store.ts'
import { type ShareTokens, TOKEN } from './tokens.ts'
import type { About, SharedTop } from './view-schemas.ts'

/** Dependencies of the views. */
interface ViewContext {
  storage: Storage
  clock: Clock
  domains: Domains
  statistics: StatisticsService
  hashes: HashQueue
  guesses: GuessLimit
  blocks: Pick<BlockList, 'covering'>
  tokens: ShareTokens
  /** The public URL. */
  baseUrl: string
  results: ReturnType<typeof createResults>
}

/** A viewer: the share's token, and the access granted by its password. */
export interface Viewer {
  token: string
  access: string | null
}

export type ShareViews = ReturnType<typeof createShareViews>

/** Shared statistics for bearers of a token. */
export function createShareViews(deps: Omit<ViewContext, 'results'>) {
  const context: ViewContext = { ...deps, results: createResults(deps) }
  return withContext(context, { find, unlock, about, stats, top })
}

/** The share of a token. @throws AppError SHARE_NOT_FOUND, SHARE_EXPIRED */
async function find(ctx: ViewContext, token: string): Promise<FoundShare> {
  const { storage, tokens, clock, blocks, baseUrl } = ctx
  const tokenHash = TOKEN.test(token) ? tokens.hashOf(token) : null
  const [share] = tokenHash === null ? [] : await findShares(storage.read, { tokenHash })
  if (share === undefined) throw new AppError('SHARE_NOT_FOUND')
  const { workspace_no, expires_at } = share
  const covered = { domain_no: DEFAULT_DOMAIN, workspace_no, target_url: baseUrl, slug_key: '' }
  if (blocks.covering(covered) !== null) throw new AppError('SHARE_NOT_FOUND')
  const reader = await readerOf(ctx, share)
  const [seen] = await seenShares(storage.read, reader, { id: share.id })
  if (seen === undefined) throw new AppError('SHARE_NOT_FOUND')
  if (expires_at !== null && expires_at <= clock.now()) throw new AppError('SHARE_EXPIRED')
  return share
}

/**
 * The share, if the viewer has access. @throws AppError SHARE_NOT_FOUND, SHARE_EXPIRED,
 * SHARE_PROTECTED
 */
async function open(ctx: ViewContext, { token, access }: Viewer): Promise<FoundShare> {
  const share = await find(ctx, token)
  if (share.password_hash === null) return share
  const isAdmitted = access !== null && ctx.tokens.admits(share, access, ctx.clock.now())
  if (!isAdmitted) throw new AppError('SHARE_PROTECTED')
  return share
}

/**
 * Checks a password, with the limits and the queue of links' passwords.
 * @throws AppError SHARE_PROTECTED: it is wrong; RATE_LIMITED
 */
async function unlock(
  ctx: ViewContext,
  token: string,
  password: string,
  address: string,
): Promise<{ access: string; expires_at: string }> {
  const share = await find(ctx, token)
  const { guesses, hashes, tokens, clock } = ctx
  const { id, password_hash: hash } = share
  if (hash !== null) {
    const { allowed, retryAfterSeconds: seconds } = await guesses.take(id, address)
    if (!allowed) {
      const headers = { 'Retry-After': String(seconds) }
      throw new AppError('RATE_LIMITED', { params: { seconds }, headers })
    }
    const verify = () => verifyNormalized(password, hash)
    if (!(await hashes.run('link', String(share.workspace_no), verify))) {
      throw new AppError('SHARE_PROTECTED')
    }
    await guesses.right(id)
  }
  const { access, until } = tokens.grant(share, clock.now())
  return { access, expires_at: formatTimestamp(until) }
}

/** The description of the share; counts a view. */
async function about(ctx: ViewContext, viewer: Viewer): Promise<About> {
  const share = await open(ctx, viewer)
  await ctx.storage.write((tx) => addView(tx, share.id), { survives: 'process' })
  const show = showOf(share)
  const { name, kind, since, domain_no, slug, title, destination_url } = share
  const hasLink = slug !== null && domain_no !== null && show.includes('links')
  return {
    name,
    kind,
    show,
    dimensions: dimensionsOf(show, kind),
    since: formatTimestamp(since),
    link: !hasLink
      ? null
      : {
          short_url: ctx.domains.shortUrl(domain_no, slug),
          title,
          brand: await brandOn(ctx, domain_no),
          ...(show.includes('destinations') && { destination_url: destination_url ?? '' }),
        },
  }
}

/** The branding of a domain, without logos on other hosts: the page loads nothing from there. */
async function brandOn({ storage }: ViewContext, domainNo: number) {
  const row = await findBrand(storage.read, domainNo)
  const brand = row === undefined ? null : brandOf(row)
  const own = brand?.logo === true && row?.png ? `data:image/png;base64,${row.png}` : null
  return brand && { name: brand.name, logo: own, color: brand.color }
}

type Asked<T> = ClicksQuery & T

/** Clicks over time. @throws AppError also those of the statistics */
async function stats(
  ctx: ViewContext,
  viewer: Viewer,
  query: Parameters<StatisticsService['stats']>[0]['query'],
  signal: AbortSignal,
) {
  const share = await open(ctx, viewer)
  return asShare(async () => {
    const question = await questionOf(ctx, share, query)
    return ctx.results(['stats', question], () => ctx.statistics.stats(question, signal))
  })
}

/** The values of a dimension. @throws AppError NOT_FOUND if it isn't shown */
async function top(
  ctx: ViewContext,
  viewer: Viewer,
  query: Asked<{ limit: number }>,
  dimension: string,
  signal: AbortSignal,
): Promise<SharedTop> {
  const share = await open(ctx, viewer)
  const show = showOf(share)
  const known = dimensionsOf(show, share.kind).find((name) => name === dimension)
  if (known === undefined) throw new AppError('NOT_FOUND')
  const list = await asShare(async () => {
    const question = await questionOf(ctx, share, query)
    return ctx.results([known, question], () => ctx.statistics.top(question, known, signal))
  })
  if (known === 'folder') return withoutIds(list)
  return known === 'link' ? withLinks(ctx, share, list, show.includes('destinations')) : list
}

/** Folders by their names. */
function withoutIds(list: SharedTop): SharedTop {
  return { ...list, data: list.data.map((row) => ({ ...row, value: row.name ?? null })) }
}

/** Links without their ids, with destinations if those are shown. */
async function withLinks(
  { storage }: ViewContext,
  { workspace_no }: FoundShare,
  list: Awaited<ReturnType<StatisticsService['top']>>,
  withDestination: boolean,
): Promise<SharedTop> {
  const ids = list.data.flatMap(({ value }) => value ?? [])
  const found =
    withDestination && ids.length > 0 ? await findLinks(storage.read, workspace_no, ids) : []
  const destinations = new Map(found.map(({ id, destination_url }) => [id, destination_url]))
  const data = list.data.map(({ value, ...rest }) => ({
    ...rest,
    value: rest.short_url ?? null,
    ...(withDestination && { destination_url: destinations.get(value ?? '') ?? null }),
  }))
  return { ...list, data }
}

/** A viewer's query, restricted by the share. */
async function questionOf<T>(ctx: ViewContext, share: FoundShare, query: Asked<T>) {
  const { kind, subject_id: id, tag_key } = share
  assertShown(query.filters, dimensionsOf(showOf(share), kind))
  const caller = await readerOf(ctx, share)
  const fixed = fixedFilters(ctx, share)
  await assertLinks(ctx, caller, fixed)
  return {
    caller,
    linkId: kind === 'link' ? id : null,
    query: {
      ...query,
      to: query.to ?? { ms: nextQuarter(ctx.clock.now()) },
      filters: [...fixed, ...query.filters],
      tags: tag_key === null ? [] : [tag_key],
      folder: kind === 'folder' && id !== null ? id : undefined,
      bots: 'exclude' as const,
    },
  }
}

const QUARTER_MS = 15 * 60_000

/**
 * The end of the current quarter of an hour, in which no interval ends in any time zone. With the
 * time of the request each response would differ, and no ETag would ever match.
 */
function nextQuarter(now: number): number {
  return (Math.floor(now / QUARTER_MS) + 1) * QUARTER_MS
}

/**
 * Refuses filters on what isn't shown, which would reveal it. @throws AppError VALIDATION_FAILED
 */
function assertShown(filters: readonly Filter[], shown: readonly Listed[]): void {
  const details = filters
    .filter(({ dimension }) => !shown.includes(dimension))
    .map(({ dimension, match }) => ({
      field: parameterOf(dimension, match) ?? dimension,
      code: 'UNKNOWN_PARAMETER' as const,
    }))
  if (details.length > 0) throw invalid(...details)
}

/** @throws AppError SHARE_NOT_FOUND if a filter is invalid now: without it more would be shown */
function fixedFilters({ domains }: ViewContext, share: FoundShare): Filter[] {
  const all = Object.entries(JSON.parse(share.filters) as Record<string, string[]>)
  return all.map(([name, given]) => {
    const filter = readFilter(name, given, domains, share.workspace_no)
    if (filter === null || filter.values.some((value) => value instanceof ValidationIssue)) {
      throw new AppError('SHARE_NOT_FOUND')
    }
    return filter as Filter
  })
}

/** @throws AppError SHARE_NOT_FOUND if a filter names a link that is gone: without it more would be shown */
async function assertLinks({ storage }: ViewContext, reader: Reader, fixed: readonly Filter[]) {
  const ids = fixed.flatMap(({ dimension, values }) =>
    dimension === 'link' ? values.map(String) : [],
  )
  if (ids.length === 0) return
  const found = await seenLinks(storage.read, reader, ids)
  if (ids.some((id) => !found.has(id))) throw new AppError('SHARE_NOT_FOUND')
}

/** Who edited the share last, with what they can see now. */
async function readerOf(
  { storage }: ViewContext,
  { workspace_no: no, seen_by }: FoundShare,
): Promise<Reader> {
  if (seen_by === null) return { workspace: { no } }
  const scopes = permissionsOf((await roleOf(storage.read, no, seen_by)) ?? '')
  const view = { userId: seen_by, scopes }
  return { workspace: { no }, hiddenFolders: await hiddenFoldersOf(storage.read, no, view) }
}

/** Maps a missing link to a missing share. */
async function asShare<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    const isGone = error instanceof AppError && error.code === 'LINK_NOT_FOUND'
    throw isGone ? new AppError('SHARE_NOT_FOUND') : error
  }
}

function showOf({ shown }: FoundShare): Show[] {
  return JSON.parse(shown) as Show[]
}
