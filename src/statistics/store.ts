import { type RawBuilder, type Selectable, sql } from 'kysely'
import { isTag, numbersOfTags } from '../features/tags/store.ts'
import { hiddenFrom } from '../lib/base/hidden-folders.ts'
import { isPartial, sees, type View } from '../lib/base/view.ts'
import {
  isSeen,
  type LinksTable,
  openSqlite,
  type Sql,
  type SqliteConnection,
} from '../platform/storage/index.ts'
import type { LinkFacts } from './engine/types.ts'
import { findMembers } from './members.ts'
import type { LinkGroup, Selection } from './types.ts'

type Fragment = RawBuilder<unknown>

/** A link, also a deleted one that can still be restored. */
type FoundLink = Pick<
  Selectable<LinksTable>,
  | 'id'
  | 'seq'
  | 'workspace_no'
  | 'domain_no'
  | 'slug'
  | 'title'
  | 'folder_id'
  | 'tag_nos'
  | 'created_by'
>

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
      .select(['id', 'seq', 'workspace_no', 'domain_no', 'slug', 'title', 'folder_id', 'tag_nos'])
      .select('created_by')
      .where(by, 'in', some as never)
      .execute()
    found.push(...links)
    if (links.length === some.length) continue
    const deleted = await db
      .selectFrom('deleted_links')
      .select(['row', 'folder_id'])
      .where(by, 'in', some as never)
      .execute()
    for (const { row, folder_id } of deleted) {
      found.push({ ...(JSON.parse(row) as FoundLink), folder_id })
    }
  }
  return found
}

/**
 * The `seq` of links of a workspace that a reader can see by their ids, including deleted ones.
 */
export async function findLinkSeqs(
  read: Sql,
  ids: readonly string[],
  workspaceNo: number,
  view: View = {},
): Promise<Map<string, number>> {
  const found = await findLinks(read, 'id', ids)
  const own = found.filter((it) => it.workspace_no === workspaceNo && sees(view, it))
  return new Map(own.map(({ id, seq }) => [id, seq]))
}

/** The ids of links; purged links are missing. */
export async function findLinkIds(
  read: Sql,
  seqs: readonly number[],
): Promise<Map<number, string>> {
  return new Map((await findLinks(read, 'seq', seqs)).map(({ id, seq }) => [seq, id]))
}

/** How many clicks came along with imports to the links of a selection. */
export async function sumImported(sqlx: Sql, selection: Selection): Promise<number> {
  const { workspaceNo: no, linkSeq, tags = [], folder, view = {} } = selection
  const tests = [sql`l.workspace_no = ${no} AND l.imported_clicks > 0`]
  if (linkSeq !== null) tests.push(sql`l.seq = ${linkSeq}`)
  for (const numbers of await numbersOfTags(sqlx, no, tags)) {
    tests.push(sql`l.seq IN (SELECT t.link_seq FROM link_tags t
      WHERE t.workspace_no = ${no} AND ${isTag('t', numbers)})`)
  }
  if (folder) tests.push(sql`l.folder_id IN (${sql.join(folder)})`)
  if (isPartial(view)) tests.push(isSeen(view))
  const { rows } = await sql<{ clicks: number }>`
    SELECT CAST(coalesce(sum(l.imported_clicks), 0) AS BIGINT) AS clicks
    FROM links l WHERE ${sql.join(tests, sql` AND `)}`.execute(sqlx.db)
  return rows[0]?.clicks ?? 0
}

/** The links of a group; of one link, whether it is one of them. */
async function findGrouped(
  sqlx: Sql,
  workspaceNo: number,
  { tags, folder, view }: LinkGroup,
  only?: number,
): Promise<number[]> {
  const [first, ...others] = await numbersOfTags(sqlx, workspaceNo, tags)
  const isIn = seenLinks(workspaceNo, folder, view, only)
  if (first === undefined) return isIn === null ? [] : readSeqs(sqlx, sql`l.seq`, isIn)
  // OFFSET makes PostgreSQL look up each link by its key. Without statistics of the table it would
  // choose a nested loop over both tags.
  const tests = others.map(
    (numbers) => sql`AND EXISTS (SELECT 1 FROM link_tags o WHERE o.workspace_no = ${workspaceNo}
      AND ${isTag('o', numbers)} AND o.link_seq = t.link_seq LIMIT 1 OFFSET 0)`,
  )
  if (isIn !== null) tests.push(sql`AND t.link_seq IN (SELECT l.seq FROM ${isIn})`)
  if (only !== undefined) tests.push(sql`AND t.link_seq = ${only}`)
  return readSeqs(
    sqlx,
    sql.raw(first.length > 1 ? 'DISTINCT t.link_seq' : 't.link_seq'),
    sql`link_tags t WHERE t.workspace_no = ${workspaceNo} AND ${isTag('t', first)}
      ${sql.join(tests, sql` `)}`,
  )
}

/** The condition on links without their tags, from the table on; null: none. */
function seenLinks(no: number, folder: LinkGroup['folder'], view?: View, only?: number) {
  if (view === undefined) return folder && inFolders(sql`links l`, no, folder, only)
  const within = folder ? inFolders(sql`links l`, no, folder, only) : allOf(no, only)
  return sql`${within} AND ${isSeen(view)}`
}

function allOf(no: number, only?: number): Fragment {
  return only === undefined
    ? sql`links l WHERE l.workspace_no = ${no}`
    : sql`links l WHERE l.workspace_no = ${no} AND l.seq = ${only}`
}

/** The links of some folders, also deleted ones that can still be restored. */
async function findInFolders(
  sqlx: Sql,
  workspaceNo: number,
  folders: readonly string[],
  only?: number,
): Promise<number[]> {
  const tables = [sql`links l`, sql`deleted_links l`]
  const found = tables.map((table) =>
    readSeqs(sqlx, sql`l.seq`, inFolders(table, workspaceNo, folders, only)),
  )
  return (await Promise.all(found)).flat()
}

function inFolders(table: Fragment, no: number, folders: readonly string[], only?: number) {
  return sql`${table} WHERE l.workspace_no = ${no} AND l.folder_id IS NOT NULL
    AND l.folder_id IN (${sql.join(folders)})${only === undefined ? sql`` : sql` AND l.seq = ${only}`}`
}

/** Numbers of links as one text, which is faster than as many rows. */
async function readSeqs({ db, dialect }: Sql, seq: Fragment, from: Fragment): Promise<number[]> {
  const list =
    dialect === 'sqlite' ? 'group_concat(seq)' : "string_agg(seq::text, ',' ORDER BY seq)"
  const { rows } = await sql<{ found: string | null }>`SELECT ${sql.raw(list)} AS found
    FROM (SELECT ${seq} AS seq FROM ${from}) found`.execute(db)
  return rows[0]?.found?.split(',').map(Number) ?? []
}

/** Whether a link is in a group now, and not hidden from a reader. */
export async function isInGroup(
  sqlx: Sql,
  workspaceNo: number,
  seq: number,
  { tags, folder, view }: LinkGroup & { view: View },
): Promise<boolean> {
  const hidden = hiddenFrom(view)
  const group = { tags, folder, ...(view.allowed && { view }) }
  const isAny = tags.length === 0 && folder === null && view.allowed === undefined
  if (!isAny && (await findGrouped(sqlx, workspaceNo, group, seq)).length === 0) return false
  return hidden.length === 0 || (await findInFolders(sqlx, workspaceNo, hidden, seq)).length === 0
}

const CACHE_BYTES = 2 * 1024 * 1024

/** Data about links and domains from a database. */
export function linkFactsIn(database: () => Sql): LinkFacts {
  return {
    links: (seqs) => findLinkIds(database(), seqs),
    grouped: (workspaceNo, group) => findGrouped(database(), workspaceNo, group),
    inFolders: (workspaceNo, folders) => findInFolders(database(), workspaceNo, folders),
    members: (workspaceNo, by) => findMembers(database(), workspaceNo, by),
    async domains() {
      const rows = await database().db.selectFrom('domains').select(['no', 'host']).execute()
      return new Map(rows.map(({ no, host }) => [no, host]))
    },
  }
}

/**
 * Data about links and domains, read from `slugline.db` while another process writes it. Opens the
 * file at the first query, because most statistics processes never query it.
 */
export function createLinkFacts(mainFile: string) {
  let open: SqliteConnection | undefined
  return {
    ...linkFactsIn(() => {
      open ??= openSqlite(mainFile, { readonly: true, mmapBytes: 0, cacheBytes: CACHE_BYTES })
      return open
    }),
    close(): void {
      open?.close()
      open = undefined
    },
  }
}
