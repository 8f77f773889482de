import {
  type AuditTable,
  SEQS_PER_WORKSPACE,
  type Sql,
  type Transaction,
} from '../../platform/storage/index.ts'

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

/** Filters of a workspace's entries; absent ones match all. */
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

/** The newest matching entries, older than entry number `below` if that is given. */
export async function listEntries(
  sql: Sql,
  filter: EntryFilter,
  below: number | null,
  limit: number,
): Promise<AuditRow[]> {
  let query = entriesOf(sql, filter.workspaceNo, below)
  const { action, actor, target } = filter
  if (action !== undefined) {
    // `link` matches all actions that begin with `link.`; a slash follows the full stop in order.
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

function entriesOf(sql: Sql, workspaceNo: number, below: number | null = null) {
  const low = workspaceNo * SEQS_PER_WORKSPACE
  return sql.db
    .selectFrom('audit')
    .selectAll()
    .where('seq', '>', low)
    .where('seq', '<', low + (below ?? SEQS_PER_WORKSPACE))
}

/** Deletes at most `limit` entries of a deleted workspace, except its last. Returns how many. */
export async function dropEntries(
  tx: Transaction,
  workspaceNo: number,
  limit: number,
): Promise<number> {
  const some = entriesOf(tx, workspaceNo).where('action', '<>', 'workspace.deleted')
  const { numDeletedRows } = await tx.db
    .deleteFrom('audit')
    .where('seq', 'in', some.clearSelect().select('seq').orderBy('seq').limit(limit))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

/** The entries without email addresses: people appear by name, or by id if there is no name. */
export async function withNames(sql: Sql, rows: readonly AuditRow[]): Promise<AuditRow[]> {
  const people = rows.map(({ actor_type, actor_id, actor_label }) => {
    return { type: actor_type, id: actor_id, name: actor_label }
  })
  const named = await withoutAddresses(sql, people)
  return rows.map((row, n) => ({ ...row, actor_label: named[n]?.name ?? row.actor_label }))
}

/** The actors without email addresses, as in {@link withNames}. */
export async function withoutAddresses<A extends { type: string; id: string | null; name: string }>(
  sql: Sql,
  actors: readonly A[],
): Promise<A[]> {
  const isPerson = ({ type }: A) => type === 'user'
  const ids = actors.filter(isPerson).flatMap(({ id }) => id ?? [])
  const users =
    ids.length === 0
      ? []
      : await sql.db.selectFrom('users').select(['id', 'name']).where('id', 'in', ids).execute()
  const names = new Map(users.map(({ id, name }) => [id, name]))
  return actors.map((actor) =>
    isPerson(actor) ? { ...actor, name: names.get(actor.id ?? '') ?? actor.id ?? '' } : actor,
  )
}
