import { type RawBuilder, sql } from 'kysely'
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

/** The `seq` of links by their ids, including deleted ones that can still be restored. */
export async function findLinkSeqs(
  read: Sql,
  ids: readonly string[],
  workspaceNo: number,
): Promise<Map<string, number>> {
  const found = new Map<string, number>()
  for (const table of ['links', 'deleted_links'] as const) {
    const rows = await read.db
      .selectFrom(table)
      .select(['id', 'seq'])
      .where('id', 'in', ids)
      .where('workspace_no', '=', workspaceNo)
      .execute()
    for (const { id, seq } of rows) found.set(id, seq)
  }
  return found
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

/** Ids of one statement: SQLite takes 32,766 parameters. */
const IDS_AT_ONCE = 5_000

/** The ids of links; purged links are missing. */
export async function findLinkIds(
  { db }: Pick<Sql, 'db'>,
  seqs: readonly number[],
): Promise<Map<number, string>> {
  const ids = new Map<number, string>()
  for (let at = 0; at < seqs.length; at += IDS_AT_ONCE) {
    let left = seqs.slice(at, at + IDS_AT_ONCE)
    for (const table of ['links', 'deleted_links'] as const) {
      if (left.length === 0) break
      const rows = await db
        .selectFrom(table)
        .select(['seq', 'id'])
        .where('seq', 'in', left)
        .execute()
      for (const { seq, id } of rows) ids.set(seq, id)
      left = left.filter((seq) => !ids.has(seq))
    }
  }
  return ids
}

/** Links of one statement in PostgreSQL, which other processes use too. */
const TAGGED_AT_ONCE = 10_000

/**
 * The links that have all these tags (their keys). They are read as one text per statement, which is
 * faster than as many rows.
 */
export async function findTagged(
  read: Pick<Sql, 'db' | 'dialect'>,
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
  const matching = sql`FROM link_tags t
    WHERE t.workspace_no = ${workspaceNo} AND t.tag_key = ${first} ${sql.join(tests, sql` `)}`
  if (read.dialect === 'sqlite') {
    return seqsOf(read, sql`SELECT group_concat(t.link_seq) AS found ${matching}`)
  }
  const seqs: number[] = []
  for (;;) {
    const page = await seqsOf(
      read,
      sql`SELECT string_agg(seq::text, ',' ORDER BY seq) AS found FROM (
        SELECT t.link_seq AS seq ${matching} AND t.link_seq > ${seqs.at(-1) ?? -1}
        ORDER BY t.link_seq LIMIT ${TAGGED_AT_ONCE}) s`,
    )
    for (const seq of page) seqs.push(seq)
    if (page.length < TAGGED_AT_ONCE) return seqs
  }
}

async function seqsOf(
  { db }: Pick<Sql, 'db'>,
  query: RawBuilder<{ found: string | null }>,
): Promise<number[]> {
  const { rows } = await query.execute(db)
  const found = rows[0]?.found ?? ''
  return found === '' ? [] : found.split(',').map(Number)
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
