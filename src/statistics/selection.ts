import { findIdsOf } from '../features/folders/index.ts'
import { findLink } from '../features/links/index.ts'
import type { Cursors } from '../http/cursor.ts'
import type { Clock } from '../lib/base/clock.ts'
import { type Reader, viewOf } from '../lib/base/view.ts'
import { AppError } from '../lib/errors/index.ts'
import { foldCase } from '../lib/validation/text.ts'
import type { Domains } from '../model/domains/index.ts'
import type { Storage } from '../platform/storage/index.ts'
import { DAY_MS, zoneOffsets } from './intervals.ts'
import type { ClicksQuery } from './query.ts'
import type { Range } from './range.ts'
import { findLinkSeqs } from './store.ts'
import type { BotsMode, ClickReports, Filter, Selection } from './types.ts'

/** Who asks, as far as statistics need to know. */
export interface StatisticsReader extends Reader {
  /** Whose request it is; absent: the operator made the key. */
  readonly person?: { readonly id: string } | undefined
}

/** What answering a question needs. */
export interface StatisticsContext {
  reports: ClickReports
  storage: Pick<Storage, 'read' | 'reports'>
  domains: Domains
  cursors: Cursors
  clock: Clock
}

/** A question about one link (`linkId`) or the whole workspace (null). */
export interface Question<Q extends ClicksQuery = ClicksQuery> {
  caller: StatisticsReader
  linkId: string | null
  query: Q
}

/**
 * No click is older. Earlier times are not queried: some zones' offsets then were not multiples of
 * 15 minutes.
 */
export const FIRST_CLICK_MS = Date.parse('2025-01-01T00:00:00.000Z')

/** A filter by kind would select nothing without bots. */
function botsOf({ bots, filters }: ClicksQuery): BotsMode {
  return bots ?? (filters.some(({ dimension }) => dimension === 'kind') ? 'include' : 'exclude')
}

/**
 * The clicks of a question, in the terms of the stored clicks.
 * @throws AppError LINK_NOT_FOUND for the link of the question
 */
export async function select(
  { storage, clock }: Pick<StatisticsContext, 'storage' | 'clock'>,
  { caller, linkId, query }: Question,
  range: Range,
): Promise<Selection> {
  const { no } = caller.workspace
  const link = linkId === null ? null : await findLink(storage.read, linkId, caller)
  if (link === undefined) throw new AppError('LINK_NOT_FOUND')
  const hasView = caller.hiddenFolders !== undefined || caller.allowed !== undefined
  const tags = tagKeys(query.tags)
  const folder = await folderIds(storage, caller, query.folder)
  return {
    workspaceNo: no,
    linkSeq: link?.seq ?? null,
    linkSeqs: null,
    ...(tags.length > 0 && { tags }),
    ...(folder !== null && { folder }),
    ...(hasView && { view: viewOf(caller) }),
    filters: await resolveFilters(storage, caller, query.filters),
    bots: botsOf(query),
    ...selectedRange(range, query.zone, clock.now()),
  }
}

/** A range that ends now ends at the next multiple of this: two people who ask at the same time then ask the same. */
const NOW_MS = 10_000
/** A range that ends now was made this short time ago, at most. */
const JUST_NOW_MS = 1_000

/** The range of a selection, and the offsets of a time zone in it. */
export function selectedRange(range: Range, zone: string, nowMs: number) {
  const isNow = range.to <= nowMs && range.to > nowMs - JUST_NOW_MS
  const to = isNow ? Math.ceil(range.to / NOW_MS) * NOW_MS : range.to
  // Clicks can only be between these: over all of history there would be thousands of offsets.
  const first = Math.max(range.from, FIRST_CLICK_MS)
  const last = Math.max(first + 1, Math.min(to, nowMs + DAY_MS))
  return {
    from: Math.max(range.from, 0),
    to: Math.max(to, 0),
    offsets: zoneOffsets(zone, first, last),
  }
}

/** Tags as they are stored. */
export function tagKeys(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => foldCase(tag.trim())))].sort()
}

/** The ids by which links are in a folder that the caller sees. */
export async function folderIds(
  storage: Pick<Storage, 'read'>,
  caller: StatisticsReader,
  id: string | undefined,
): Promise<readonly string[] | null> {
  return id === undefined ? null : findIdsOf(storage.read, caller.workspace.no, id, viewOf(caller))
}

/** The `seq` of no link. */
const NO_LINK = 0

/** Replaces ids of links by their `seq`. */
async function resolveFilters(
  storage: Pick<Storage, 'read'>,
  caller: StatisticsReader,
  filters: readonly Filter[],
): Promise<Filter[]> {
  const ids = filters.flatMap(({ dimension, values }) =>
    dimension === 'link' ? values.map(String) : [],
  )
  if (ids.length === 0) return [...filters]
  const seqs = await findLinkSeqs(storage.read, ids, caller.workspace.no, viewOf(caller))
  return filters.map((filter) =>
    filter.dimension === 'link'
      ? { ...filter, values: filter.values.map((id) => seqs.get(String(id)) ?? NO_LINK) }
      : filter,
  )
}
