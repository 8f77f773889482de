import type { Clock } from '../base/clock.ts'
import { AppError } from '../errors/index.ts'
import type { Storage } from '../storage/index.ts'
import { foldCase } from '../validation/text.ts'
import type { AskedFilter } from './filters.ts'
import type { Asked } from './query.ts'
import type { Range } from './range.ts'
import { findLinkSeq, findLinkSeqs } from './store.ts'
import type { BotsMode, Filter, Selection } from './types.ts'
import { zoneOffsets } from './zones.ts'

/** Whoever asks, as far as statistics need to know. */
export interface StatisticsCaller {
  readonly workspace: { readonly no: number }
}

/** What selecting works with. */
export interface SelectionContext {
  storage: Pick<Storage, 'read' | 'reports'>
  clock: Clock
}

/**
 * No click is older. What lies before is nothing, and isn't asked for: in those years some zones'
 * clocks were not changed at quarters of an hour.
 */
export const FIRST_CLICK_MS = Date.parse('2025-01-01T00:00:00.000Z')
const DAY_MS = 86_400_000

/** Of `kind=bot` nothing would be left without bots: who filters by kind means all kinds. */
export function botsOf({ bots, filters }: Asked, otherwise: BotsMode): BotsMode {
  return bots ?? (filters.some(({ dimension }) => dimension === 'kind') ? 'include' : otherwise)
}

/**
 * What the question means, in the terms of the clicks.
 * @param linkId one link alone; null: the whole workspace.
 * @throws AppError LINK_NOT_FOUND for that link, and for those of a filter.
 */
export async function select(
  ctx: SelectionContext,
  { workspace }: StatisticsCaller,
  linkId: string | null,
  asked: Asked,
  range: Range,
  bots: BotsMode,
): Promise<Selection> {
  const { clock } = ctx
  const linkSeq = linkId === null ? null : await linkSeqOf(ctx, workspace.no, linkId)
  const tags = tagKeys(asked.tags)
  return {
    workspaceNo: workspace.no,
    linkSeq,
    linkSeqs: null,
    ...(tags.length > 0 && { tags }),
    // A begin without bound reaches back to the year 0, and nothing is stored from before 1970.
    from: Math.max(range.from, 0),
    to: Math.max(range.to, 0),
    filters: await resolveFilters(ctx, workspace.no, asked.filters),
    bots,
    offsets: offsetsOf(asked.zone, range, clock.now()),
  }
}

/** The `seq` of a link. @throws AppError LINK_NOT_FOUND */
async function linkSeqOf(
  { storage }: SelectionContext,
  workspaceNo: number,
  id: string,
): Promise<number> {
  const seq = await findLinkSeq(storage.read, id, workspaceNo)
  if (seq === undefined) throw new AppError('LINK_NOT_FOUND')
  return seq
}

/** Tags as they are stored. */
export function tagKeys(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => foldCase(tag.trim())))].sort()
}

/**
 * The filters, links by their `seq`.
 * @throws AppError LINK_NOT_FOUND
 */
export async function resolveFilters(
  { storage }: SelectionContext,
  workspaceNo: number,
  filters: readonly AskedFilter[],
): Promise<Filter[]> {
  const ids = filters.flatMap(({ dimension, values }) =>
    dimension === 'link' ? values.map(String) : [],
  )
  if (ids.length === 0) return [...filters]
  const seqs = await findLinkSeqs(storage.read, ids, workspaceNo)
  if (ids.some((id) => !seqs.has(id))) throw new AppError('LINK_NOT_FOUND')
  return filters.map((filter) =>
    filter.dimension === 'link'
      ? { ...filter, values: filter.values.map((id) => seqs.get(String(id)) as number) }
      : filter,
  )
}

/** The zone's offsets while there can be clicks: over all of history there would be thousands. */
function offsetsOf(zone: string, { from, to }: Range, nowMs: number) {
  const first = Math.max(from, FIRST_CLICK_MS)
  return zoneOffsets(zone, first, Math.max(first + 1, Math.min(to, nowMs + DAY_MS)))
}
