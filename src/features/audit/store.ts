import { sql as raw, type Selectable } from 'kysely'
import {
  type AuditTable,
  containing,
  SEQS_PER_WORKSPACE,
  type Sql,
  type Transaction,
} from '../../platform/storage/index.ts'
import { AUDIT_ACTIONS, type AuditAction } from './actions.ts'

/** A row of `audit`. */
export type AuditRow = Selectable<AuditTable>

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
  /** Actions, or their first parts: one of them. */
  action?: readonly string[] | undefined
  actor?: string | undefined
  target?: string | undefined
  /** Milliseconds, inclusive. */
  after?: number | undefined
  /** Milliseconds, exclusive. */
  before?: number | undefined
  /** Only what is listed by itself: no changes of jobs. */
  grouped?: boolean | undefined
  /** Only the changes under the entry with this number. */
  group?: number | undefined
  /** In the name or id of what was changed or who did it, in lower case. */
  search?: string | undefined
}

const ID = /^[a-z]{3}_/

/** Entries that a search reads for one page. */
export const SEARCHED = 5_000

/** The newest matching entries, older than entry number `below` if that is given. */
export async function listEntries(
  sql: Sql,
  filter: EntryFilter,
  below: number | null,
  limit: number,
): Promise<AuditRow[]> {
  if (filter.action !== undefined && actionsOf(filter.action).length === 0) return []
  return newestEntries(sql, filter, below, limit).execute()
}

/** The query of {@link listEntries}, for known actions. */
export function newestEntries(sql: Sql, filter: EntryFilter, below: number | null, limit: number) {
  const newest = (some: ReturnType<typeof entriesOf>) =>
    (filter.grouped ? some.orderBy('group_seq', 'desc') : some).orderBy('seq', 'desc').limit(limit)
  if (filter.search !== undefined) return newest(matching(searched(sql, filter, below), filter))
  const range = filter.grouped ? leadersOf : entriesOf
  const rows = matching(range(sql, filter.workspaceNo, below), filter)
  if (filter.action === undefined) return newest(rows)
  // Each by its index.
  const [first, ...others] = actionsOf(filter.action).map((action) =>
    sql.db.selectFrom(newest(rows.where('action', '=', action)).as('of_action')).selectAll(),
  )
  return others
    .reduce((all, each) => all.unionAll(each), first as NonNullable<typeof first>)
    .orderBy('seq', 'desc')
    .limit(limit)
}

/** Where a search of a page ends; null: at the oldest entry. */
export async function endOfSearch(
  sql: Sql,
  filter: EntryFilter,
  below: number | null,
): Promise<Pick<AuditRow, 'seq'> | null> {
  const last = entriesOf(sql, filter.workspaceNo, below)
    .clearSelect()
    .select('seq')
    .orderBy('seq', 'desc')
    .offset(SEARCHED - 1)
    .limit(1)
  return (await last.executeTakeFirst()) ?? null
}

/** The newest entries, whether they match or not. */
function searched(sql: Sql, filter: EntryFilter, below: number | null) {
  const newest = entriesOf(sql, filter.workspaceNo, below).orderBy('seq', 'desc').limit(SEARCHED)
  return sql.db.selectFrom(newest.as('audit')).selectAll()
}

function matching(rows: ReturnType<typeof entriesOf>, filter: EntryFilter) {
  let query = rows
  const { actor, target, search } = filter
  if (actor === 'command' || actor === 'system') query = query.where('actor_type', '=', actor)
  else if (actor !== undefined)
    query = query.where(idOr('actor_label', 'actor_id', actor), '=', actor)
  if (target !== undefined)
    query = query.where(idOr('target_label', 'target_id', target), '=', target)
  if (filter.after !== undefined) query = query.where('at', '>=', filter.after)
  if (filter.before !== undefined) query = query.where('at', '<', filter.before)
  if (filter.grouped) query = query.where('group_seq', 'is', null)
  if (filter.group !== undefined) {
    const leader = filter.workspaceNo * SEQS_PER_WORKSPACE + filter.group
    query = query.where('group_seq', '=', leader)
  }
  if (search !== undefined) {
    if (filter.action !== undefined) query = query.where('action', 'in', actionsOf(filter.action))
    const texts = ['target_label', 'actor_label', 'target_id', 'actor_id'] as const
    query = query.where((eb) =>
      eb.or(
        texts.map((name) => {
          const pattern = containing(search)
          return raw<boolean>`lower(${eb.ref(name)}) LIKE ${pattern} ESCAPE '\\'`
        }),
      ),
    )
  }
  return query
}

/** The actions with these names, or beginning with these parts. */
function actionsOf(names: readonly string[]): AuditAction[] {
  return AUDIT_ACTIONS.filter((action) =>
    names.some((name) => action === name || action.startsWith(`${name}.`)),
  )
}

function idOr<L extends string, I extends string>(label: L, id: I, text: string): L | I {
  return ID.test(text) ? id : label
}

/** All columns but `object`, which is for events and may be much longer than the others. */
const COLUMNS = [
  ...(['seq', 'at', 'action', 'version', 'before', 'after', 'request_id'] as const),
  ...(['actor_type', 'actor_id', 'actor_label'] as const),
  ...(['target_type', 'target_id', 'target_label'] as const),
  ...(['sequence', 'group_seq', 'changes'] as const),
] as const
const NO_OBJECT = raw<string | null>`NULL`.as('object')

function entriesOf(sql: Sql, workspaceNo: number, below: number | null = null) {
  const low = workspaceNo * SEQS_PER_WORKSPACE
  return sql.db
    .selectFrom('audit')
    .select([...COLUMNS, NO_OBJECT])
    .where('seq', '>', low)
    .where('seq', '<', low + (below ?? SEQS_PER_WORKSPACE))
}

/**
 * The same, where the changes of jobs are left out. SQLite's planner doesn't know that numbers of
 * entries decide little: by them it takes an index without groups, and reads all changes of a job.
 */
function leadersOf(sql: Sql, workspaceNo: number, below: number | null) {
  if (sql.dialect !== 'sqlite') return entriesOf(sql, workspaceNo, below)
  const low = workspaceNo * SEQS_PER_WORKSPACE
  const high = low + (below ?? SEQS_PER_WORKSPACE)
  return sql.db
    .selectFrom('audit')
    .select([...COLUMNS, NO_OBJECT])
    .where(raw<boolean>`likely(seq > ${low}) AND likely(seq < ${high})`)
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
