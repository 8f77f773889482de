import {
  type AuditRow,
  entriesAbout,
  entryNumber,
  entryOf,
  type Fields,
  withNames,
} from '../audit/index.ts'
import { AppError } from '../errors/index.ts'
import type { Caller } from '../http/types.ts'
import type { Sql } from '../storage/index.ts'
import type { LinkCaller, LinkContext } from './context.ts'
import { findDeleted, GRACE_MS } from './remove.ts'
import type { HistoryPage } from './schemas.ts'
import { findLink, type LinkRow } from './store.ts'

/** So many entries are read at a time where all are needed. */
const STEP = 500

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
  ctx: LinkContext,
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

type Entry = HistoryPage['data'][number]

function shown(row: AuditRow): Entry {
  const { id, at, actor, action, before, after } = entryOf(row)
  const changes: Record<string, { from: unknown; to: unknown }> = {}
  if (action !== 'link.deleted') {
    for (const field of new Set([...Object.keys(before), ...Object.keys(after)])) {
      changes[field] = { from: before[field] ?? null, to: after[field] ?? null }
    }
  }
  return { id, at, actor, action: action as Entry['action'], changes, version: row.version ?? 0 }
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
