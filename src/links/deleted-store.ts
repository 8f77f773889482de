import { prepare, SEQS_PER_WORKSPACE, type Sql, type Transaction } from '../storage/index.ts'
import type { LinkRow } from './types.ts'

const insertDeleted = prepare<
  { seq: number; id: string; workspaceNo: number; at: number; row: string },
  never
>((db, p) =>
  db.insertInto('deleted_links').values({
    seq: p.seq,
    id: p.id,
    workspace_no: p.workspaceNo,
    deleted_at: p.at,
    row: p.row,
  }),
)

/** Keeps what a link was, for as long as it can be restored. */
export async function keepDeleted(tx: Transaction, row: LinkRow, at: number): Promise<void> {
  const { seq, id, workspace_no: workspaceNo } = row
  await tx.run(insertDeleted, { seq, id, workspaceNo, at, row: JSON.stringify(row) })
}

const deletedById = prepare<{ id: string; workspaceNo: number; since: number }, { row: string }>(
  (db, p) =>
    db
      .selectFrom('deleted_links')
      .select('row')
      .where('id', '=', p.id)
      .where('workspace_no', '=', p.workspaceNo)
      .where('deleted_at', '>', p.since),
)

/** A link of a workspace that was deleted after `since`, as it was then. */
export async function findDeleted(
  sql: Sql,
  id: string,
  workspaceNo: number,
  since: number,
): Promise<LinkRow | undefined> {
  const [found] = await sql.run(deletedById, { id, workspaceNo, since })
  return found && (JSON.parse(found.row) as LinkRow)
}

/**
 * The link of any workspace that was deleted last and has this id, or else fits. Looks at all that
 * can still be restored: it is the operator who asks.
 */
export async function newestDeleted(
  sql: Pick<Sql, 'db'>,
  id: string,
  fits: (row: LinkRow) => boolean,
): Promise<LinkRow | undefined> {
  const rows = sql.db
    .selectFrom('deleted_links')
    .select(['id', 'row'])
    .orderBy('deleted_at', 'desc')
    .orderBy('seq', 'desc')
  for (const found of await rows.execute()) {
    const row = JSON.parse(found.row) as LinkRow
    if (found.id === id || fits(row)) return row
  }
  return undefined
}

/** Changes what a deleted link will be when it is restored. */
export async function rewriteDeleted(tx: Transaction, row: LinkRow): Promise<void> {
  await tx.db
    .updateTable('deleted_links')
    .set({ row: JSON.stringify(row) })
    .where('seq', '=', row.seq)
    .execute()
}

/** Takes a link out of the deleted ones: it is one of the others again. */
export async function dropDeleted(tx: Transaction, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return
  await tx.db.deleteFrom('deleted_links').where('seq', 'in', seqs).execute()
}

/** At most `limit` links that were deleted at `until` or before, the oldest first. */
export async function deletedUntil(
  sql: Sql,
  until: number,
  limit: number,
): Promise<{ seq: number }[]> {
  return sql.db
    .selectFrom('deleted_links')
    .select('seq')
    .where('deleted_at', '<=', until)
    .orderBy('deleted_at')
    .limit(limit)
    .execute()
}

/** At most `limit` deleted links of a workspace. */
export async function deletedOf(
  sql: Sql,
  workspaceNo: number,
  limit: number,
): Promise<{ seq: number }[]> {
  const low = workspaceNo * SEQS_PER_WORKSPACE
  return sql.db
    .selectFrom('deleted_links')
    .select('seq')
    .where('seq', '>', low)
    .where('seq', '<', low + SEQS_PER_WORKSPACE)
    .orderBy('seq')
    .limit(limit)
    .execute()
}

const insertPassword = prepare<{ seq: number; version: number; hash: string | null }, never>(
  (db, p) =>
    db
      .insertInto('link_passwords')
      .values({ link_seq: p.seq, version: p.version, password_hash: p.hash }),
)

/** Keeps the password that a version replaced. */
export async function keepPassword(
  tx: Transaction,
  seq: number,
  version: number,
  hash: string | null,
): Promise<void> {
  await tx.run(insertPassword, { seq, version, hash })
}

/** The hash that a link had at a version; undefined: the one that it has now. */
export async function passwordAt(
  sql: Sql,
  seq: number,
  version: number,
): Promise<string | null | undefined> {
  const row = await sql.db
    .selectFrom('link_passwords')
    .select('password_hash')
    .where('link_seq', '=', seq)
    .where('version', '>', version)
    .orderBy('version')
    .limit(1)
    .executeTakeFirst()
  return row?.password_hash
}

/** Forgets the passwords that links had. */
export async function dropPasswords(tx: Transaction, seqs: readonly number[]): Promise<void> {
  if (seqs.length === 0) return
  await tx.db.deleteFrom('link_passwords').where('link_seq', 'in', seqs).execute()
}
