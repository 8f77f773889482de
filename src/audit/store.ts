import { sql as raw } from 'kysely'
import {
  type AuditTable,
  prepare,
  SEQS_PER_WORKSPACE,
  type Sql,
  type Transaction,
} from '../storage/index.ts'

/** A row of `audit`. */
export type AuditRow = AuditTable

/** Deletes the entries about accounts that are older than `before`. */
export async function dropAccountEntries(tx: Transaction, before: number): Promise<void> {
  await tx.db
    .deleteFrom('audit')
    .where('seq', '<', SEQS_PER_WORKSPACE)
    .where('at', '<', before)
    .execute()
}

/** Which entries of a workspace are asked for; what is absent doesn't matter. */
export interface EntryFilter {
  workspaceNo: number
  action?: string | undefined
  actor?: string | undefined
  target?: string | undefined
  /** Milliseconds, inclusive. */
  after?: number | undefined
  /** Milliseconds, exclusive. */
  before?: number | undefined
}

const ID = /^[a-z]{3}_/

/** The newest entries that match, older than entry number `below` where that is given. */
export async function listEntries(
  sql: Sql,
  filter: EntryFilter,
  below: number | null,
  limit: number,
): Promise<AuditRow[]> {
  const low = filter.workspaceNo * SEQS_PER_WORKSPACE
  let query = sql.db
    .selectFrom('audit')
    .selectAll()
    .where('seq', '>', low)
    .where('seq', '<', below === null ? low + SEQS_PER_WORKSPACE : low + below)
  const { action, actor, target } = filter
  if (action !== undefined) {
    // `link` stands for all that begins with `link.`; a slash is what follows a full stop.
    query = action.includes('.')
      ? query.where('action', '=', action)
      : query.where('action', '>', `${action}.`).where('action', '<', `${action}/`)
  }
  if (actor === 'command') query = query.where('actor_type', '=', 'command')
  else if (actor !== undefined)
    query = query.where(idOr('actor_label', 'actor_id', actor), '=', actor)
  if (target !== undefined)
    query = query.where(idOr('target_label', 'target_id', target), '=', target)
  if (filter.after !== undefined) query = query.where('at', '>=', filter.after)
  if (filter.before !== undefined) query = query.where('at', '<', filter.before)
  return query.orderBy('seq', 'desc').limit(limit).execute()
}

function idOr<L extends string, I extends string>(label: L, id: I, text: string): L | I {
  return ID.test(text) ? id : label
}

/** The newest entries of all workspaces, each with the id of its workspace. */
export async function recentEntries(
  sql: Sql,
  limit: number,
): Promise<(AuditRow & { workspace_id: string | null })[]> {
  return sql.db
    .selectFrom('audit as a')
    .leftJoin('workspaces as w', (join) =>
      join.on(raw<boolean>`w.no = a.seq / ${raw.lit(SEQS_PER_WORKSPACE)}`),
    )
    .leftJoin('deleted_workspaces as d', (join) =>
      join.on(raw<boolean>`d.no = a.seq / ${raw.lit(SEQS_PER_WORKSPACE)}`),
    )
    .selectAll('a')
    .select((e) => e.fn.coalesce('w.id', 'd.id').as('workspace_id'))
    .orderBy('a.at', 'desc')
    .orderBy('a.seq', 'desc')
    .limit(limit)
    .execute()
}

const ofTarget = prepare<{ targetId: string; low: number; high: number; limit: number }, AuditRow>(
  (db, p) =>
    db
      .selectFrom('audit')
      .selectAll()
      .where('target_id', '=', p.targetId)
      .where('seq', '>', p.low)
      .where('seq', '<', p.high)
      .orderBy('seq', 'desc')
      .limit(p.limit),
)

/** The newest entries about one thing, older than entry number `below` where that is given. */
export async function entriesAbout(
  sql: Sql,
  { workspaceNo, targetId }: { workspaceNo: number; targetId: string },
  below: number | null,
  limit: number,
): Promise<AuditRow[]> {
  const low = workspaceNo * SEQS_PER_WORKSPACE
  const high = below === null ? low + SEQS_PER_WORKSPACE : low + below
  return sql.run(ofTarget, { targetId, low, high, limit })
}

/** Deletes entries of a workspace that is gone, at most `limit`, its last one kept. How many. */
export async function dropEntries(
  tx: Transaction,
  workspaceNo: number,
  limit: number,
): Promise<number> {
  const low = workspaceNo * SEQS_PER_WORKSPACE
  const rows = await tx.db
    .selectFrom('audit')
    .select('seq')
    .where('seq', '>', low)
    .where('seq', '<', low + SEQS_PER_WORKSPACE)
    .where('action', '<>', 'workspace.deleted')
    .orderBy('seq')
    .limit(limit)
    .execute()
  const seqs = rows.map(({ seq }) => seq)
  if (seqs.length > 0) await tx.db.deleteFrom('audit').where('seq', 'in', seqs).execute()
  return seqs.length
}

/**
 * The same entries without e-mail addresses: people are labelled by their names, or by their ids
 * where they have no name or no account any more.
 */
export async function withNames(sql: Sql, rows: readonly AuditRow[]): Promise<AuditRow[]> {
  const isPerson = (row: AuditRow) => row.actor_type === 'user'
  const ids = rows.filter(isPerson).flatMap(({ actor_id }) => actor_id ?? [])
  const users =
    ids.length === 0
      ? []
      : await sql.db.selectFrom('users').select(['id', 'name']).where('id', 'in', ids).execute()
  const names = new Map(users.map(({ id, name }) => [id, name]))
  return rows.map((row) => {
    if (!isPerson(row)) return row
    return { ...row, actor_label: names.get(row.actor_id ?? '') ?? row.actor_id ?? '' }
  })
}
