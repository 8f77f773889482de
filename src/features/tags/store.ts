import { type RawBuilder, type Selectable, sql } from 'kysely'
import { hiddenFrom } from '../../lib/base/hidden-folders.ts'
import { isPartial, type View } from '../../lib/base/view.ts'
import { AppError } from '../../lib/errors/index.ts'
import {
  bySql,
  countRows,
  isSeen,
  prepare,
  prepareRows,
  type Schema,
  type Sql,
  type Transaction,
} from '../../platform/storage/index.ts'

import { TAGS_MAX, type TagSort } from './schemas.ts'

/** A row of `tags`. */
export type TagRow = Selectable<Schema['tags']>

/** A tag as links refer to it. */
export type NamedTag = Pick<TagRow, 'no' | 'key' | 'name'>

const byKeys = prepareRows<{ workspaceNo: number; key: string }, NamedTag>((db, rows) =>
  db
    .selectFrom('tags')
    .select(['no', 'key', 'name'])
    .where('workspace_no', '=', (rows[0] as (typeof rows)[number]).workspaceNo)
    .where(
      'key',
      'in',
      rows.map(({ key }) => key),
    )
    .where('merged_into', 'is', null),
)

/** The tags of a workspace that have these keys. */
export async function findTags(
  sqlx: Sql,
  workspaceNo: number,
  keys: readonly string[],
): Promise<NamedTag[]> {
  if (keys.length === 0) return []
  return sqlx.run(
    byKeys(keys.length),
    keys.map((key) => ({ workspaceNo, key })),
  )
}

/** The tag with this id or key that a reader can see, unless it was merged into another. */
export function findTag(
  { db }: Sql,
  { workspaceNo, view }: { workspaceNo: number; view: View },
  by: 'id' | 'key',
  text: string,
) {
  return db
    .selectFrom('tags as t')
    .selectAll('t')
    .where('t.workspace_no', '=', workspaceNo)
    .where(`t.${by}`, '=', text)
    .where('t.merged_into', 'is', null)
    .where(isTagSeen(view))
    .executeTakeFirst()
}

/** Those of some keys whose tags a reader can't see. */
export async function findHiddenKeys(
  { db }: Sql,
  { workspaceNo, view }: { workspaceNo: number; view: View },
  keys: readonly string[],
): Promise<string[]> {
  if (keys.length === 0) return []
  const rows = await db
    .selectFrom('tags as t')
    .select('t.key')
    .where('t.workspace_no', '=', workspaceNo)
    .where('t.key', 'in', keys)
    .where('t.merged_into', 'is', null)
    .where(sql<boolean>`NOT ${isTagSeen(view)}`)
    .execute()
  return rows.map(({ key }) => key)
}

const takeNumbers = prepare<{ workspaceNo: number; count: number }, { tags_made: number }>(
  (db, p) =>
    db
      .updateTable('workspaces')
      .set((eb) => ({ tags_made: eb('tags_made', '+', p.count) }))
      .where('no', '=', p.workspaceNo)
      .returning('tags_made'),
)

const insert = prepareRows<TagRow, never>((db, rows) =>
  db
    .insertInto('tags')
    .values(
      rows.map((p) => {
        const { workspace_no, no, id, key, name, search_text, colour, folder_id } = p
        const { merged_into, version, created_at, updated_at } = p
        const state = { folder_id, merged_into, version, created_at, updated_at }
        return { workspace_no, no, id, key, name, search_text, colour, ...state }
      }),
    )
    .onConflict((conflict) => conflict.doNothing()),
)

/** Adds tags by one statement. Returns how many have free keys. @throws AppError PLAN_LIMIT_REACHED (TAGS_LIMIT) */
export async function insertTags(
  tx: Transaction,
  workspaceNo: number,
  tags: readonly Omit<TagRow, 'workspace_no' | 'no' | 'merged_into' | 'version'>[],
): Promise<number> {
  const count = tags.length
  const [taken] = await tx.run(takeNumbers, { workspaceNo, count })
  const last = taken?.tags_made ?? 0
  // Counting is slow, and needless until so many were ever created.
  if (last > TAGS_MAX && (await countRows(tx, 'tags', workspaceNo)) + count > TAGS_MAX) {
    throw new AppError('PLAN_LIMIT_REACHED', {
      details: [{ field: 'tags', code: 'TAGS_LIMIT', params: { limit: TAGS_MAX } }],
    })
  }
  const rows = tags.map((tag, i) => ({
    ...tag,
    workspace_no: workspaceNo,
    no: last - count + 1 + i,
    merged_into: null,
    version: 1,
  }))
  return tx.change(insert(count), rows)
}

/** Updates a tag, including those merged into it. */
export async function updateTag(
  { db }: Transaction,
  { workspace_no, no }: TagRow,
  changes: Partial<
    Pick<
      TagRow,
      'key' | 'name' | 'search_text' | 'colour' | 'merged_into' | 'updated_at' | 'version'
    >
  >,
): Promise<void> {
  await db
    .updateTable('tags')
    .set(changes)
    .where('workspace_no', '=', workspace_no)
    .where((eb) => eb.or([eb('no', '=', no), eb('merged_into', '=', no)]))
    .execute()
}

/** Deletes a tag, including those merged into it. */
export async function deleteTag({ db }: Transaction, { workspace_no, no }: TagRow): Promise<void> {
  await db
    .deleteFrom('tags')
    .where('workspace_no', '=', workspace_no)
    .where((eb) => eb.or([eb('no', '=', no), eb('merged_into', '=', no)]))
    .execute()
}

/** The numbers of the tags with these keys; a tag that others were merged into has several. */
export async function numbersOfTags(
  { db }: Sql,
  workspaceNo: number,
  keys: readonly string[],
): Promise<number[][]> {
  if (keys.length === 0) return []
  const rows = await db
    .selectFrom('tags')
    .select(['no', 'key'])
    .where('workspace_no', '=', workspaceNo)
    .where('key', 'in', keys)
    .orderBy('no')
    .execute()
  return keys.map((key) => rows.filter((row) => row.key === key).map(({ no }) => no))
}

/** The tags with these numbers, in the order of their keys, without deleted ones. */
export async function tagsOfNumbers(
  { db }: Sql,
  workspaceNo: number,
  numbers: readonly number[],
): Promise<NamedTag[]> {
  if (numbers.length === 0) return []
  return db
    .selectFrom('tags')
    .select(['no', 'key', 'name'])
    .where('workspace_no', '=', workspaceNo)
    .where('no', 'in', numbers)
    .orderBy('key')
    .orderBy('no')
    .execute()
}

/** Whether the name of the tag `t` contains a term. */
export function tagContains(term: string): RawBuilder<boolean> {
  return bySql({
    sqlite: sql<boolean>`instr(t.search_text, ${term}) > 0`,
    postgres: sql<boolean>`strpos(t.search_text, ${term}) > 0`,
  })
}

/** Whether the name of any tag of the workspace contains a term. */
export async function hasTagWith({ db }: Sql, workspaceNo: number, term: string): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM tags t
    WHERE t.workspace_no = ${workspaceNo} AND ${tagContains(term)} LIMIT 1`.execute(db)
  return rows.length > 0
}

/** A page of tags. */
interface TagPage {
  workspaceNo: number
  term: string
  /** Only tags with these keys; null: all. */
  keys: readonly string[] | null
  sort: TagSort
  /** Exclusive; null: the first page. */
  after: { key: string; links: number } | null
  limit: number
  /** Other links are not counted; see {@link isTagSeen}. */
  view: View
}

type CountedTag = TagRow & { links: number }

/** Tags in their order, with how many links each has. */
export async function listTags({ db }: Sql, page: TagPage): Promise<CountedTag[]> {
  const { workspaceNo, term, keys, sort, after, limit, view } = page
  const isByLinks = sort === 'links'
  const found = sql`
    SELECT t.*, ${linksOf(view)} AS links
    FROM tags t WHERE t.workspace_no = ${workspaceNo} AND t.merged_into IS NULL
      AND ${isTagSeen(view)}
      ${term === '' ? sql`` : sql`AND ${tagContains(term)}`}
      ${keys === null ? sql`` : sql`AND t.key IN (${sql.join(keys)})`}
      ${after === null || isByLinks ? sql`` : sql`AND t.key > ${after.key}`}`
  const below =
    after === null
      ? sql``
      : sql`WHERE c.links < ${after.links} OR (c.links = ${after.links} AND c.key > ${after.key})`
  const { rows } = await sql<CountedTag>`${
    isByLinks
      ? sql`SELECT * FROM (${found}) c ${below} ORDER BY c.links DESC, c.key`
      : sql`${found} ORDER BY t.key`
  } LIMIT ${limit}`.execute(db)
  return rows.map((row) => ({ ...row, links: Number(row.links) }))
}

/** How many links have any of these tags. */
export async function countLinks(
  { db }: Sql,
  workspaceNo: number,
  ids: readonly string[],
  view: View,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    SELECT count(DISTINCT o.link_seq) AS n FROM link_tags o ${seen(view)}
    WHERE o.workspace_no = ${workspaceNo} AND o.tag_no IN
      (SELECT s.no FROM tags t JOIN tags s ON s.workspace_no = t.workspace_no AND s.key = t.key
        WHERE t.workspace_no = ${workspaceNo} AND t.id IN (${sql.join(ids)}))`.execute(db)
  return Number(rows[0]?.n ?? 0)
}

/**
 * Whether a reader can see the tag `t`: it is on a link that they can see, or on none, and wasn't
 * created for a link in a folder that is hidden from them. A key that is restricted to some links sees
 * the tags of these, and those that it is restricted to. The one rule for all access to tags.
 */
export function isTagSeen(view: View): RawBuilder<boolean> {
  const hidden = hiddenFrom(view)
  const { allowed } = view
  if (hidden.length === 0 && allowed === undefined) return sql<boolean>`TRUE`
  const uses = sql`FROM link_tags o JOIN links l ON l.seq = o.link_seq
    WHERE o.workspace_no = t.workspace_no AND o.tag_no IN
      (SELECT s.no FROM tags s WHERE s.workspace_no = t.workspace_no AND s.key = t.key)`
  const isUsed = sql`EXISTS (SELECT 1 ${uses} AND ${isSeen(view)})`
  if (allowed !== undefined) {
    const { tags = [] } = allowed
    return tags.length === 0
      ? sql<boolean>`${isUsed}`
      : sql<boolean>`(t.no IN (${sql.join(tags)}) OR ${isUsed})`
  }
  const folders = sql.join(hidden)
  return sql<boolean>`(${isUsed}
    OR ((t.folder_id IS NULL OR t.folder_id NOT IN (${folders})) AND NOT EXISTS (SELECT 1 ${uses})))`
}

/** How many links the tag `t` has. */
function linksOf(view: View): RawBuilder<number> {
  return sql<number>`(SELECT count(DISTINCT o.link_seq) FROM link_tags o ${seen(view)}
    WHERE o.workspace_no = t.workspace_no AND o.tag_no IN
      (SELECT s.no FROM tags s WHERE s.workspace_no = t.workspace_no AND s.key = t.key))`
}

/** Excludes the rows `o` of `link_tags` whose link a reader can't see. */
function seen(view: View): RawBuilder<unknown> {
  return isPartial(view) ? sql`JOIN links l ON l.seq = o.link_seq AND ${isSeen(view)}` : sql``
}

/** Whether a row of `link_tags` has a tag. One that others were merged into has several numbers. */
export function isTag(row: string, numbers: readonly number[]): RawBuilder<boolean> {
  const [only] = numbers
  const no = sql.raw(`${row}.tag_no`)
  if (only === undefined) return sql<boolean>`FALSE`
  return numbers.length === 1
    ? sql<boolean>`${no} = ${only}`
    : sql<boolean>`${no} IN (${sql.join(numbers)})`
}
