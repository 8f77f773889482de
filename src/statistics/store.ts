import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { LinksTable, Sql } from '../storage/index.ts'
import { isTag, numbersOfTags } from '../tags/store.ts'

type Fragment = RawBuilder<unknown>

/** A link, also a deleted one that can still be restored. */
type FoundLink = Pick<
  Selectable<LinksTable>,
  'id' | 'seq' | 'workspace_no' | 'domain_no' | 'slug' | 'title' | 'folder_id'
>

/** The `seq` of a link of a workspace that isn't in one of the hidden folders. */
export async function findLinkSeq(
  { db }: Sql,
  id: string,
  workspaceNo: number,
  hidden: readonly string[] = [],
): Promise<number | undefined> {
  const row = await db
    .selectFrom('links')
    .select(['seq', 'folder_id'])
    .where('id', '=', id)
    .where('workspace_no', '=', workspaceNo)
    .executeTakeFirst()
  return row !== undefined && isSeen(row, hidden) ? row.seq : undefined
}

function isSeen({ folder_id }: { folder_id: string | null }, hidden: readonly string[]): boolean {
  return folder_id === null || !hidden.includes(folder_id)
}

/** The rules and variants of a link, as they are stored. */
export async function findDecisions(
  { db }: Sql,
  seq: number,
): Promise<Pick<Selectable<LinksTable>, 'rules' | 'variants'> | undefined> {
  return db
    .selectFrom('links')
    .select(['rules', 'variants'])
    .where('seq', '=', seq)
    .executeTakeFirst()
}

/** Links of one statement: SQLite takes 32,766 parameters. */
const LINKS_AT_ONCE = 5_000

/** Links by their id or `seq`, including deleted ones that can still be restored. */
export async function findLinks(
  { db }: Sql,
  by: 'id' | 'seq',
  values: readonly (string | number)[],
): Promise<FoundLink[]> {
  const found: FoundLink[] = []
  for (let at = 0; at < values.length; at += LINKS_AT_ONCE) {
    const some = values.slice(at, at + LINKS_AT_ONCE)
    const links = await db
      .selectFrom('links')
      .select(['id', 'seq', 'workspace_no', 'domain_no', 'slug', 'title', 'folder_id'])
      .where(by, 'in', some as never)
      .execute()
    found.push(...links)
    if (links.length === some.length) continue
    const deleted = await db
      .selectFrom('deleted_links')
      .select('row')
      .where(by, 'in', some as never)
      .execute()
    found.push(...deleted.map(({ row }) => JSON.parse(row) as FoundLink))
  }
  return found
}

/**
 * The `seq` of links of a workspace by their ids, including deleted ones; without those of the hidden
 * folders.
 */
export async function findLinkSeqs(
  read: Sql,
  ids: readonly string[],
  workspaceNo: number,
  hidden: readonly string[] = [],
): Promise<Map<string, number>> {
  const found = await findLinks(read, 'id', ids)
  const own = found.filter((it) => it.workspace_no === workspaceNo && isSeen(it, hidden))
  return new Map(own.map(({ id, seq }) => [id, seq]))
}

/** The ids of links; purged links are missing. */
export async function findLinkIds(
  read: Sql,
  seqs: readonly number[],
): Promise<Map<number, string>> {
  return new Map((await findLinks(read, 'seq', seqs)).map(({ id, seq }) => [seq, id]))
}

/** Which links of a workspace are meant. */
export interface LinkGroup {
  /** The keys of tags, of which a link has all. */
  tags: readonly string[]
  /** The ids by which links are in a folder; null: in any, or none. */
  folder: readonly string[] | null
}

/** The links of a group. */
export async function findGrouped(
  sqlx: Sql,
  workspaceNo: number,
  { tags, folder }: LinkGroup,
): Promise<number[]> {
  const [first, ...others] = await numbersOfTags(sqlx, workspaceNo, tags)
  const isIn = folder && inFolders(sql`links l`, workspaceNo, folder)
  if (first === undefined) return isIn === null ? [] : readSeqs(sqlx, sql`l.seq`, isIn)
  // OFFSET makes PostgreSQL look up each link by its key. Without statistics of the table it would
  // choose a nested loop over both tags.
  const tests = others.map(
    (numbers) => sql`AND EXISTS (SELECT 1 FROM link_tags o WHERE o.workspace_no = ${workspaceNo}
      AND ${isTag('o', numbers)} AND o.link_seq = t.link_seq LIMIT 1 OFFSET 0)`,
  )
  if (isIn !== null) tests.push(sql`AND t.link_seq IN (SELECT l.seq FROM ${isIn})`)
  return readSeqs(
    sqlx,
    sql.raw(first.length > 1 ? 'DISTINCT t.link_seq' : 't.link_seq'),
    sql`link_tags t WHERE t.workspace_no = ${workspaceNo} AND ${isTag('t', first)}
      ${sql.join(tests, sql` `)}`,
  )
}

/** The links of some folders, also deleted ones that can still be restored. */
export async function findInFolders(
  sqlx: Sql,
  workspaceNo: number,
  folders: readonly string[],
): Promise<number[]> {
  const deleted = inFolders(sql`deleted_links l`, workspaceNo, folders)
  return [
    ...(await readSeqs(sqlx, sql`l.seq`, inFolders(sql`links l`, workspaceNo, folders))),
    ...(await readSeqs(sqlx, sql`l.seq`, deleted)),
  ]
}

function inFolders(table: Fragment, workspaceNo: number, folders: readonly string[]): Fragment {
  return sql`${table} WHERE l.workspace_no = ${workspaceNo} AND l.folder_id IS NOT NULL
    AND l.folder_id IN (${sql.join(folders)})`
}

/** Numbers of links as one text, which is faster than as many rows. */
async function readSeqs({ db, dialect }: Sql, seq: Fragment, from: Fragment): Promise<number[]> {
  const list =
    dialect === 'sqlite' ? 'group_concat(seq)' : "string_agg(seq::text, ',' ORDER BY seq)"
  const { rows } = await sql<{ found: string | null }>`SELECT ${sql.raw(list)} AS found
    FROM (SELECT ${seq} AS seq FROM ${from}) found`.execute(db)
  return rows[0]?.found?.split(',').map(Number) ?? []
}

/** Whether a link is in a group now, and not in a hidden folder. */
export async function isInGroup(
  sqlx: Sql,
  workspaceNo: number,
  seq: number,
  { tags, folder, hidden }: LinkGroup & { hidden: readonly string[] },
): Promise<boolean> {
  if (folder !== null || hidden.length > 0) {
    const id = await folderOf(sqlx, seq)
    if (id !== null && hidden.includes(id)) return false
    if (folder !== null && (id === null || !folder.includes(id))) return false
  }
  for (const numbers of await numbersOfTags(sqlx, workspaceNo, tags)) {
    const { rows } = await sql`SELECT 1 FROM link_tags t WHERE t.workspace_no = ${workspaceNo}
      AND ${isTag('t', numbers)} AND t.link_seq = ${seq} LIMIT 1`.execute(sqlx.db)
    if (rows.length === 0) return false
  }
  return true
}

/** The folder of a link, also of a deleted one. */
async function folderOf({ db }: Sql, seq: number): Promise<string | null> {
  for (const table of ['links', 'deleted_links'] as const) {
    const row = await db
      .selectFrom(table)
      .select('folder_id')
      .where('seq', '=', seq)
      .executeTakeFirst()
    if (row !== undefined) return row.folder_id
  }
  return null
}
