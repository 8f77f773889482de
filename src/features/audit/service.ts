import { sql as raw } from 'kysely'
import type { Cursors } from '../../http/cursor.ts'
import { pageOf } from '../../http/page.ts'
import { SEQS_PER_WORKSPACE, type Storage } from '../../platform/storage/index.ts'
import { type AuditRow, type EntryFilter, listEntries } from './store.ts'
import type { Fields } from './types.ts'

export type AuditService = ReturnType<typeof createAuditService>

/** Reads the audit log. */
export function createAuditService(deps: { storage: Pick<Storage, 'reports'>; cursors: Cursors }) {
  const { storage, cursors } = deps
  return {
    /** The newest entries of all workspaces, deleted ones included: for the operator. */
    async recent(limit: number): Promise<(AuditEntry & { workspace: string | null })[]> {
      const no = raw`a.seq / ${raw.lit(SEQS_PER_WORKSPACE)}`
      const rows = await storage.reports.db
        .selectFrom('audit as a')
        .leftJoin('workspaces as w', (join) => join.on(raw<boolean>`w.no = ${no}`))
        .leftJoin('deleted_workspaces as d', (join) => join.on(raw<boolean>`d.no = ${no}`))
        .selectAll('a')
        .select((e) => e.fn.coalesce('w.id', 'd.id').as('workspace_id'))
        .orderBy('a.at', 'desc')
        .orderBy('a.seq', 'desc')
        .limit(limit)
        .execute()
      return rows.map((row) => ({ ...entryOf(row), workspace: row.workspace_id }))
    },

    /** A page of a workspace's entries. @throws AppError BAD_REQUEST (INVALID_CURSOR) */
    async list(
      filter: EntryFilter,
      { limit, cursor }: { limit: number; cursor?: string | undefined },
    ) {
      const binding = JSON.stringify(['audit', filter])
      const below = cursor === undefined ? null : (cursors.decode(cursor, binding)[0] as number)
      const rows = await listEntries(storage.reports, filter, below, limit + 1)
      const page = pageOf(rows, limit, (last) => cursors.encode([entryNumber(last)], binding))
      return { ...page, data: page.data.map(entryOf) }
    },
  }
}

/** The number of an entry in its workspace. */
export function entryNumber({ seq }: Pick<AuditRow, 'seq'>): number {
  return seq % SEQS_PER_WORKSPACE
}

export type AuditEntry = ReturnType<typeof entryOf>

/** An entry as the API returns it: its id is its number in the workspace, times are RFC 3339. */
export function entryOf(row: AuditRow) {
  return {
    id: `aud_${entryNumber(row)}`,
    created_at: new Date(row.at).toISOString(),
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_label },
    action: row.action,
    target: { type: row.target_type, id: row.target_id, label: row.target_label },
    before: JSON.parse(row.before) as Fields,
    after: JSON.parse(row.after) as Fields,
    request_id: row.request_id,
  }
}
