import { sql } from 'kysely'
import { prepare, type Sql, type Storage } from '../storage/index.ts'

/** The name of a link, also of a deleted one that can still be restored. */
export interface LinkName {
  seq: number
  id: string
  domainNo: number
  slug: string
  title: string | null
}

const seqOf = prepare<{ id: string; workspaceNo: number }, { seq: number }>((db, p) =>
  db
    .selectFrom('links')
    .select('seq')
    .where('id', '=', p.id)
    .where('workspace_no', '=', p.workspaceNo),
)

/** The `seq` of a link of a workspace. */
export async function findLinkSeq(
  read: Sql,
  id: string,
  workspaceNo: number,
): Promise<number | undefined> {
  return (await read.run(seqOf, { id, workspaceNo }))[0]?.seq
}

/** Links of one statement: SQLite takes 32,766 parameters. */
const LINKS_AT_ONCE = 5_000

/** Links by their id or `seq`, including deleted ones that can still be restored. */
async function findLinks(
  { db }: Pick<Sql, 'db'>,
  by: 'id' | 'seq',
  values: readonly (string | number)[],
) {
  const found: { id: string; seq: number; workspace_no: number }[] = []
  for (let at = 0; at < values.length; at += LINKS_AT_ONCE) {
    const some = values.slice(at, at + LINKS_AT_ONCE)
    for (const table of ['links', 'deleted_links'] as const) {
      const rows = await db
        .selectFrom(table)
        .select(['id', 'seq', 'workspace_no'])
        .where(by, 'in', some as never)
        .execute()
      found.push(...rows)
    }
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
  read: Pick<Sql, 'db'>,
  seqs: readonly number[],
): Promise<Map<number, string>> {
  return new Map((await findLinks(read, 'seq', seqs)).map(({ id, seq }) => [seq, id]))
}

/** More names than this are looked up off the serving thread. */
const NAMES_AT_ONCE = 100

/** The names of links; purged links are missing. */
export async function findLinkNames(
  { read, reports }: Pick<Storage, 'read' | 'reports'>,
  seqs: readonly number[],
): Promise<Map<number, LinkName>> {
  const names = new Map<number, LinkName>()
  if (seqs.length === 0) return names
  const { db } = seqs.length > NAMES_AT_ONCE ? reports : read
  const rows = await db
    .selectFrom('links')
    .select(['seq', 'id', 'domain_no', 'slug', 'title'])
    .where('seq', 'in', seqs)
    .execute()
  for (const { domain_no, ...row } of rows) names.set(row.seq, { ...row, domainNo: domain_no })
  const missing = seqs.filter((seq) => !names.has(seq))
  if (missing.length === 0) return names
  const deleted = await db
    .selectFrom('deleted_links')
    .select(['seq', 'id', 'row'])
    .where('seq', 'in', missing)
    .execute()
  for (const { seq, id, row } of deleted) {
    const { domain_no, slug, title } = JSON.parse(row) as {
      domain_no: number
      slug: string
      title: string | null
    }
    names.set(seq, { seq, id, domainNo: domain_no, slug, title })
  }
  return names
}

/**
 * The links that have all these tags (their keys). They are read as one text, which is faster than as
 * many rows.
 */
export async function findTagged(
  { db, dialect }: Pick<Sql, 'db' | 'dialect'>,
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

const tagged = prepare<{ workspaceNo: number; tag: string; seq: number }, { link_seq: number }>(
  (db, p) =>
    db
      .selectFrom('link_tags')
      .select('link_seq')
      .where('workspace_no', '=', p.workspaceNo)
      .where('tag_key', '=', p.tag)
      .where('link_seq', '=', p.seq),
)

/** Whether a link has all these tags (their keys) now. */
export async function hasTags(
  read: Sql,
  workspaceNo: number,
  seq: number,
  tags: readonly string[],
): Promise<boolean> {
  for (const tag of tags) {
    if ((await read.run(tagged, { workspaceNo, tag, seq })).length === 0) return false
  }
  return true
}
