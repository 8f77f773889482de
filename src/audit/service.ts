import type { Cursors } from '../http/cursor.ts'
import { SEQS_PER_WORKSPACE, type Storage } from '../storage/index.ts'
import { type AuditRow, type EntryFilter, listEntries, recentEntries } from './store.ts'
import type { AuditEntry, Fields } from './types.ts'

/** One page of entries, newest first. */
export interface AuditPage {
  data: AuditEntry[]
  pagination: { limit: number; has_more: boolean; next_cursor: string | null }
}

/** Reads the audit log of a workspace. */
export interface AuditService {
  /** @throws AppError BAD_REQUEST (INVALID_CURSOR) */
  list(
    filter: EntryFilter,
    page: { limit: number; cursor?: string | undefined },
  ): Promise<AuditPage>
  /** The newest entries of all workspaces, deleted ones included: for the operator. */
  recent(limit: number): Promise<(AuditEntry & { workspace: string | null })[]>
}

/** What the service works with. */
export interface AuditServiceDeps {
  storage: Pick<Storage, 'reports'>
  cursors: Cursors
}

/** See {@link AuditService}. */
export function createAuditService({ storage, cursors }: AuditServiceDeps): AuditService {
  return {
    async recent(limit) {
      const rows = await recentEntries(storage.reports, limit)
      return rows.map((row) => ({ ...entryOf(row), workspace: row.workspace_id }))
    },

    async list(filter, { limit, cursor }) {
      const binding = JSON.stringify(['audit', filter])
      const below = cursor === undefined ? null : (cursors.decode(cursor, binding)[0] as number)
      const rows = await listEntries(storage.reports, filter, below, limit + 1)
      const hasMore = rows.length > limit
      if (hasMore) rows.pop()
      const last = rows.at(-1)
      return {
        data: rows.map(entryOf),
        pagination: {
          limit,
          has_more: hasMore,
          next_cursor:
            hasMore && last !== undefined ? cursors.encode([entryNumber(last)], binding) : null,
        },
      }
    },
  }
}

/** The number of an entry in its workspace. */
export function entryNumber({ seq }: Pick<AuditRow, 'seq'>): number {
  return seq % SEQS_PER_WORKSPACE
}

/** An entry as it is shown. */
export function entryOf(row: AuditRow): AuditEntry {
  return {
    id: `aud_${entryNumber(row)}`,
    at: new Date(row.at).toISOString(),
    actor: { type: row.actor_type, id: row.actor_id, label: row.actor_label },
    action: row.action,
    target: { type: row.target_type, id: row.target_id, label: row.target_label },
    before: JSON.parse(row.before) as Fields,
    after: JSON.parse(row.after) as Fields,
    request_id: row.request_id,
  }
}
