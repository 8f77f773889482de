import {
  type AuditRow,
  entriesAbout,
  entryNumber,
  entryOf,
  type Fields,
  withNames,
} from '../audit/index.ts'
import { AppError } from '../errors/index.ts'
import type { Cursors } from '../http/cursor.ts'
import type { Caller } from '../http/types.ts'
import type { Sql } from '../storage/index.ts'
import type { LinkCaller, LinkContext } from './context.ts'
import { findDeleted } from './deleted-store.ts'
import { findLink } from './store.ts'
import type { LinkRow } from './types.ts'

/** How long a deleted link can be restored; its clicks stay for as long. */
export const GRACE_MS = 7 * 24 * 3_600_000
/** So many entries are read at a time where all are needed. */
const STEP = 500

/** A change of a link, as its history shows it. */
export interface HistoryEntry {
  id: string
  /** RFC 3339 */
  at: string
  actor: { type: string; id: string | null; label: string }
  action: string
  /** Of each field what it was and what it has been since; null where there was none. */
  changes: Record<string, { from: unknown; to: unknown }>
  /** The link's version since. */
  version: number
}

/** One page of a link's history, newest first. */
export interface HistoryPage {
  data: HistoryEntry[]
  pagination: { limit: number; has_more: boolean; next_cursor: string | null }
}

/** A link that is there, or that was deleted and can still be restored. */
export async function linkOrDeleted(
  ctx: Pick<LinkContext, 'clock'>,
  sql: Sql,
  { workspace }: LinkCaller,
  id: string,
): Promise<{ row: LinkRow; isDeleted: boolean }> {
  const row = await findLink(sql, id, workspace.no)
  if (row !== undefined) return { row, isDeleted: false }
  const deleted = await findDeleted(sql, id, workspace.no, ctx.clock.now() - GRACE_MS)
  if (deleted === undefined) throw new AppError('LINK_NOT_FOUND')
  return { row: deleted, isDeleted: true }
}

/**
 * A link's history, newest first; also of a deleted link, until it is gone for good.
 * @throws AppError LINK_NOT_FOUND, BAD_REQUEST (INVALID_CURSOR)
 */
export async function history(
  ctx: LinkContext & { cursors: Cursors },
  caller: LinkCaller & Partial<Pick<Caller, 'scopes'>>,
  id: string,
  { limit, cursor }: { limit: number; cursor?: string | undefined },
): Promise<HistoryPage> {
  const { storage, cursors } = ctx
  const binding = JSON.stringify(['history', caller.workspace.no, id])
  const below = cursor === undefined ? null : (cursors.decode(cursor, binding)[0] as number)
  await linkOrDeleted(ctx, storage.read, caller, id)
  const about = { workspaceNo: caller.workspace.no, targetId: id }
  const rows = await entriesAbout(storage.read, about, below, limit + 1)
  const hasMore = rows.length > limit
  if (hasMore) rows.pop()
  const last = rows.at(-1)
  // Addresses are for people who may read the audit log; no key may.
  const seen = caller.scopes?.has('audit:read') ? rows : await withNames(storage.read, rows)
  return {
    data: seen.map(shown),
    pagination: {
      limit,
      has_more: hasMore,
      next_cursor:
        hasMore && last !== undefined ? cursors.encode([entryNumber(last)], binding) : null,
    },
  }
}

function shown(row: AuditRow): HistoryEntry {
  const { id, at, actor, action, before, after } = entryOf(row)
  const changes: HistoryEntry['changes'] = {}
  if (action !== 'link.deleted') {
    for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
      changes[field] = { from: before[field] ?? null, to: after[field] ?? null }
    }
  }
  return { id, at, actor, action, changes, version: row.version ?? 0 }
}

/** How to get from one version of a link back to an earlier one. */
export interface WayBack {
  /** The version that it begins at. */
  from: number
  /** The fields that changed in between, as they were at the earlier version. */
  fields: Fields
  /** The earliest version that the history reaches back to, the one asked for or a later one. */
  reached: number
}

/** Reads a link's history from `from` back to version `to`. */
export async function wayBack(
  sql: Sql,
  row: Pick<LinkRow, 'id' | 'workspace_no'>,
  from: number,
  to: number,
): Promise<WayBack> {
  const about = { workspaceNo: row.workspace_no, targetId: row.id }
  const fields: Record<string, unknown> = {}
  const step = Math.min(STEP, from - to + 20)
  let reached = from
  let below: number | null = null
  for (;;) {
    const rows: AuditRow[] = await entriesAbout(sql, about, below, step)
    for (const { version, action, before } of rows) {
      if (reached === to) break
      if (version === null || version > reached || action === 'link.deleted') continue
      // A gap: the change was made before there was an audit log.
      if (version < reached) return { from, fields, reached }
      Object.assign(fields, JSON.parse(before))
      reached = version - 1
    }
    const last = rows.at(-1)
    if (reached === to || last === undefined || rows.length < step) return { from, fields, reached }
    below = entryNumber(last)
  }
}
