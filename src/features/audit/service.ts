import { sql as raw } from 'kysely'
import { type PageQuery, pageOf } from '../../http/page.ts'
import type { ServiceContext } from '../../http/service-context.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { SEQS_PER_WORKSPACE } from '../../platform/storage/index.ts'
import { type AuditRow, type EntryFilter, endOfSearch, listEntries } from './store.ts'
import type { Fields } from './types.ts'

type AuditContext = Pick<ServiceContext, 'storage' | 'cursors'>

export type AuditService = ReturnType<typeof createAuditService>

/** Reads the audit log. */
export function createAuditService(context: AuditContext) {
  return withContext(context, { recent, list })
}

/** The newest entries of all workspaces, deleted ones included: for the operator. */
async function recent(
  { storage }: AuditContext,
  limit: number,
): Promise<(AuditEntry & { workspace: string | null })[]> {
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
}

/** A page of a workspace's entries. @throws AppError BAD_REQUEST (INVALID_CURSOR) */
async function list(
  { storage, cursors }: AuditContext,
  filter: EntryFilter,
  { limit, cursor }: PageQuery,
) {
  const binding = JSON.stringify(['audit', filter])
  const below = cursor === undefined ? null : (cursors.decode(cursor, binding)[0] as number)
  const cursorOf = (row: Pick<AuditRow, 'seq'>) => cursors.encode([entryNumber(row)], binding)
  const rows = await listEntries(storage.reports, filter, below, limit + 1)
  const page = pageOf(rows, limit, cursorOf)
  const data = page.data.map(entryOf)
  if (filter.search === undefined || page.pagination.has_more) return { ...page, data }
  // A search reads so many entries at a time, and may find none of them.
  const end = await endOfSearch(storage.reports, filter, below)
  const next_cursor = end && cursorOf(end)
  return { data, pagination: { limit, has_more: end !== null, next_cursor } }
}

/** The number of an entry in its workspace. */
export function entryNumber({ seq }: Pick<AuditRow, 'seq'>): number {
  return seq % SEQS_PER_WORKSPACE
}

export type AuditEntry = ReturnType<typeof entryOf>

/** An entry as the API returns it: its id is its number in the workspace, times are RFC 3339. */
export function entryOf(row: AuditRow) {
  return {
    id: idOf(row),
    created_at: new Date(row.at).toISOString(),
    actor: { type: row.actor_type, id: row.actor_id, name: row.actor_label },
    action: row.action,
    target: { type: row.target_type, id: row.target_id, label: row.target_label },
    before: JSON.parse(row.before) as Fields,
    after: JSON.parse(row.after) as Fields,
    request_id: row.request_id,
    group: row.group_seq === null ? null : idOf({ seq: row.group_seq }),
    changes: row.changes === null ? 0 : Number(row.changes),
  }
}

const idOf = (row: Pick<AuditRow, 'seq'>) => `aud_${entryNumber(row)}`
