import { SEQS_PER_WORKSPACE, type Sql, type Transaction } from '../../platform/storage/index.ts'

/** A link to which something has happened by itself. */
export interface Due {
  seq: number
  workspace_no: number
  /** When, in milliseconds since the Unix epoch. */
  at: number
}

/** Up to which moment, and which link of that moment, moments are recorded. */
type Mark = Pick<Due, 'at' | 'seq'>

/** Null: none is recorded yet. */
export async function markOf({ db }: Sql, name: string): Promise<Mark | null> {
  const query = db.selectFrom('instance').select('value').where('name', '=', name)
  const row = await query.executeTakeFirst()
  if (row === undefined) return null
  const [at = 0, seq = 0] = row.value.split(' ').map(Number)
  return { at, seq }
}

export async function setMark({ db }: Transaction, name: string, { at, seq }: Mark): Promise<void> {
  const value = `${at} ${seq}`
  await db
    .insertInto('instance')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** The next links after a mark whose moment has come, in order. */
export function dueAfter(
  { db }: Sql,
  column: 'starts_at' | 'expires_at',
  { at, seq }: Mark,
  upTo: number,
  limit: number,
): Promise<Due[]> {
  return db
    .selectFrom('links')
    .select(['seq', 'workspace_no'])
    .select((eb) => eb.ref(column).$notNull().as('at'))
    .where(column, '>=', at)
    .where(column, '<=', upTo)
    .where((eb) => eb.or([eb(column, '>', at), eb('seq', '>', seq)]))
    .orderBy(column)
    .orderBy('seq')
    .limit(limit)
    .execute()
}

/** Links whose last permitted click was used up since the last call. */
export async function usedUp({ db }: Sql, now: number, limit: number): Promise<Due[]> {
  const query = db.selectFrom('used_up_links').select('link_seq').orderBy('link_seq').limit(limit)
  const rows = await query.execute()
  return rows.map(({ link_seq: seq }) => {
    return { seq, workspace_no: Math.floor(seq / SEQS_PER_WORKSPACE), at: now }
  })
}

export async function dropUsedUp({ db }: Transaction, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return
  await db.deleteFrom('used_up_links').where('link_seq', 'in', seqs).execute()
}

/** Those of some workspaces that aren't deleted. */
export async function existingOf({ db }: Sql, numbers: readonly number[]): Promise<Set<number>> {
  if (numbers.length === 0) return new Set()
  const rows = await db.selectFrom('workspaces').select('no').where('no', 'in', numbers).execute()
  return new Set(rows.map(({ no }) => no))
}
