import type { Insertable, RawBuilder, Selectable } from 'kysely'
import type { Schema, Sql, Transaction } from '../../platform/storage/index.ts'

/** A row of `shares`. */
export type ShareRow = Selectable<Schema['shares']>

/** A share with names of its subject. */
export type FoundShare = Awaited<ReturnType<typeof findShares>>[number]

/** A query for shares. */
export interface Wanted {
  workspaceNo?: number
  id?: string
  tokenHash?: string
  /** Whether the subject of the share `s` is seen: the tag `t`, folder `f` or link `l`. Absent: each is. */
  isSeen?: RawBuilder<boolean>
  /** Exclusive: only older ones. */
  before?: string | undefined
  limit?: number
}

/** Shares with an existing subject, newest first. Those of deleted links stay stored. */
export function findShares({ db }: Sql, wanted: Wanted) {
  const { workspaceNo, id, tokenHash, isSeen, before, limit = 1 } = wanted
  let query = joined(db)
  if (workspaceNo !== undefined) query = query.where('s.workspace_no', '=', workspaceNo)
  if (id !== undefined) query = query.where('s.id', '=', id)
  if (tokenHash !== undefined) query = query.where('s.token_hash', '=', tokenHash)
  if (before !== undefined) query = query.where('s.id', '<', before)
  if (isSeen !== undefined) query = query.where(isSeen)
  return query.orderBy('s.id', 'desc').limit(limit).execute()
}

function joined(db: Sql['db']) {
  return db
    .selectFrom('shares as s')
    .leftJoin('tags as t', (join) =>
      join
        .onRef('t.workspace_no', '=', 's.workspace_no')
        .onRef('t.id', '=', 's.subject_id')
        .on('t.merged_into', 'is', null),
    )
    .leftJoin('folders as f', (join) =>
      join.onRef('f.id', '=', 's.subject_id').on('f.merged_into', 'is', null),
    )
    .leftJoin('links as l', 'l.id', 's.subject_id')
    .innerJoin('workspaces as w', 'w.no', 's.workspace_no')
    .where((eb) =>
      eb.or([
        eb('s.kind', '=', 'workspace'),
        eb('t.id', 'is not', null),
        eb('f.id', 'is not', null),
        eb('l.id', 'is not', null),
      ]),
    )
    .selectAll('s')
    .select(['t.name as tag', 't.key as tag_key', 'f.name as folder'])
    .select((eb) => eb.fn.coalesce('l.created_at', 'w.created_at').as('since'))
    .select(['l.domain_no', 'l.slug', 'l.title', 'l.destination_url'])
}

/** How many shares a workspace has, including those without a subject. */
export async function countShares({ db }: Sql, workspaceNo: number): Promise<number> {
  const { n } = await db
    .selectFrom('shares')
    .select((eb) => eb.fn.countAll().as('n'))
    .where('workspace_no', '=', workspaceNo)
    .executeTakeFirstOrThrow()
  return Number(n)
}

export async function insertShare({ db }: Transaction, row: Insertable<Schema['shares']>) {
  await db.insertInto('shares').values(row).execute()
}

export async function updateShare({ db }: Transaction, id: string, changes: Partial<ShareRow>) {
  await db.updateTable('shares').set(changes).where('id', '=', id).execute()
}

export async function deleteShare({ db }: Transaction, id: string) {
  await db.deleteFrom('shares').where('id', '=', id).execute()
}

/** Counts a view. */
export async function addView({ db }: Transaction, id: string) {
  await db
    .updateTable('shares')
    .set((eb) => ({ views: eb('views', '+', 1) }))
    .where('id', '=', id)
    .execute()
}

/** The links of a workspace among these ids. */
export async function findLinks({ db }: Sql, workspaceNo: number, ids: readonly string[]) {
  if (ids.length === 0) return []
  return db
    .selectFrom('links')
    .select(['id', 'folder_id', 'domain_no', 'tag_nos', 'created_by', 'destination_url'])
    .where('workspace_no', '=', workspaceNo)
    .where('id', 'in', ids)
    .execute()
}

/** The branding of a domain's pages, with the logo of its workspace. */
export function findBrand({ db }: Sql, domainNo: number) {
  return db
    .selectFrom('domains as d')
    .leftJoin('logos as l', 'l.workspace_no', 'd.workspace_no')
    .select(['d.brand', 'l.png'])
    .where('d.no', '=', domainNo)
    .executeTakeFirst()
}

/** The role of a person in a workspace; undefined: not a member. */
export async function roleOf({ db }: Sql, workspaceNo: number, userId: string) {
  const member = await db
    .selectFrom('members')
    .select('role')
    .where('workspace_no', '=', workspaceNo)
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return member?.role
}
