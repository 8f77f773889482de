import { type Selectable, sql } from 'kysely'
import type { LinksTable, Sql } from '../storage/index.ts'

/** A link, also a deleted one that can still be restored. */
type FoundLink = Pick<
  Selectable<LinksTable>,
  'id' | 'seq' | 'workspace_no' | 'domain_no' | 'slug' | 'title'
>

/** The `seq` of a link of a workspace. */
export async function findLinkSeq(
  { db }: Sql,
  id: string,
  workspaceNo: number,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('links')
    .select('seq')
    .where('id', '=', id)
    .where('workspace_no', '=', workspaceNo)
    .executeTakeFirst()
  return row?.seq
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
      .select(['id', 'seq', 'workspace_no', 'domain_no', 'slug', 'title'])
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

/** The `seq` of links of a workspace by their ids, including deleted ones. */
export async function findLinkSeqs(
  read: Sql,
  ids: readonly string[],
  workspaceNo: number,
): Promise<Map<string, number>> {
  const found = await findLinks(read, 'id', ids)
  const own = found.filter(({ workspace_no }) => workspace_no === workspaceNo)
  return new Map(own.map(({ id, seq }) => [id, seq]))
}

/** The ids of links; purged links are missing. */
export async function findLinkIds(
  read: Sql,
  seqs: readonly number[],
): Promise<Map<number, string>> {
  return new Map((await findLinks(read, 'seq', seqs)).map(({ id, seq }) => [seq, id]))
}

/**
 * The links that have all these tags (their keys). They are read as one text, which is faster than as
 * many rows.
 */
export async function findTagged(
  { db, dialect }: Sql,
  workspaceNo: number,
  tags: readonly string[],
): Promise<number[]> {
  const [first, ...others] = tags
  // OFFSET makes PostgreSQL look up each link by its key. Without statistics of the table it would
  // choose a nested loop over both tags.
  const tests = others.map(
    (tag) => sql`AND EXISTS (SELECT 1 FROM link_tags o WHERE o.workspace_no = ${workspaceNo}
      AND o.tag_key = ${tag} AND o.link_seq = t.link_seq LIMIT 1 OFFSET 0)`,
  )
  const list =
    dialect === 'sqlite'
      ? 'group_concat(t.link_seq)'
      : "string_agg(t.link_seq::text, ',' ORDER BY t.link_seq)"
  const { rows } = await sql<{ found: string | null }>`SELECT ${sql.raw(list)} AS found
    FROM link_tags t WHERE t.workspace_no = ${workspaceNo} AND t.tag_key = ${first}
    ${sql.join(tests, sql` `)}`.execute(db)
  return rows[0]?.found?.split(',').map(Number) ?? []
}

/** Whether a link has all these tags (their keys, each once) now. */
export async function hasTags(
  { db }: Sql,
  workspaceNo: number,
  seq: number,
  tags: readonly string[],
): Promise<boolean> {
  if (tags.length === 0) return true
  const found = await db
    .selectFrom('link_tags')
    .select('tag_key')
    .where('workspace_no', '=', workspaceNo)
    .where('link_seq', '=', seq)
    .where('tag_key', 'in', tags)
    .execute()
  return found.length === tags.length
}
