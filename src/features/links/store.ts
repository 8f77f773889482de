import { type Insertable, type RawBuilder, type SelectQueryBuilder, sql } from 'kysely'
import { type Reader, sees } from '../../lib/base/view.ts'
import {
  type LinksTable,
  prepare,
  prepareRows,
  type Schema,
  type Sql,
  type Transaction,
} from '../../platform/storage/index.ts'
import { creatorName, folderOf, tagNames } from './joined.ts'
import type { Counters, LinkRow } from './row.ts'
import { parseList, searchText } from './rows.ts'
import { indexText, unindexText } from './search.ts'

/** A link with the default of every field. */
export const BLANK: LinkRow = {
  seq: 0,
  id: '',
  workspace_no: 0,
  domain_no: 0,
  slug: '',
  slug_key: '',
  destination_url: '',
  target_url: '',
  title: null,
  notes: null,
  tags: '[]',
  tag_nos: '[]',
  folder_id: null,
  archived: 0,
  aliases: '[]',
  external_id: null,
  enabled: 1,
  block: null,
  redirect_status: 302,
  forward_query: 0,
  forward_path: 0,
  match_prefix: 0,
  starts_at: null,
  expires_at: null,
  max_clicks: null,
  uses: 0,
  imported_clicks: 0,
  fallback_url: null,
  rules: null,
  variants: null,
  password_hash: null,
  social: null,
  tracking: 'full',
  created_at: 0,
  updated_at: 0,
  version: 1,
  created_by: null,
  creator_name: null,
}

const COLUMNS = Object.keys(BLANK) as (keyof LinkRow)[]
/** Columns written without conversion. */
const STORED = COLUMNS.filter((name) => name !== 'tags' && name !== 'creator_name') as Exclude<
  keyof LinkRow,
  'tags' | 'creator_name'
>[]

/** Links with the names of their tags and of their creator, and their current folder. */
export function selectLinks({ db }: Pick<Sql, 'db'>) {
  const plain = STORED.filter((name) => name !== 'folder_id')
  const query = db
    .selectFrom('links')
    .select(plain)
    .select([tagNames('links').as('tags'), folderOf('links').as('folder_id')])
    .select(creatorName('links').as('creator_name'))
  return query as SelectQueryBuilder<Schema, 'links', LinkRow>
}

const COUNTER_COLUMNS = ['total', 'human', 'bot', 'unique_visitors', 'last_clicked_at'] as const

/** The same columns of a link `l`, for SQL text. */
export const LINK_COLUMNS: RawBuilder<unknown> = sql`${tagNames('l')} AS tags,
  ${folderOf('l')} AS folder_id, ${creatorName('l')} AS creator_name, ${sql.raw(
    STORED.filter((name) => name !== 'folder_id')
      .map((name) => `l.${name}`)
      .join(', '),
  )}`

/** The columns of a link `l` with its counters `c`, for SQL text. */
export const LINK_WITH_COUNTERS: RawBuilder<unknown> = sql`${LINK_COLUMNS}, ${sql.raw(
  COUNTER_COLUMNS.map((name) => `c.${name}`).join(', '),
)}`

const insert = prepareRows<LinkRow & { search_text: string }, never>((db, rows) => {
  const columns = [...STORED, 'search_text'] as const
  const values = rows.map((p) => Object.fromEntries(columns.map((name) => [name, p[name]])))
  return db
    .insertInto('links')
    .values(values as unknown as Insertable<LinksTable>[])
    .onConflict((conflict) => conflict.doNothing())
})

/** Inserts links with their tags and search entries. False: an external id is in use. */
export async function insertLinks(tx: Transaction, links: readonly LinkRow[]): Promise<boolean> {
  const rows = links.map((row) => ({ ...row, search_text: searchText(row) }))
  if ((await tx.change(insert(rows.length), rows)) < rows.length) return false
  await addTags(
    tx,
    links.flatMap(({ tag_nos, workspace_no, seq: link_seq }) => {
      return parseList<number>(tag_nos).map((tag_no) => ({ workspace_no, tag_no, link_seq }))
    }),
  )
  for (const { seq, search_text } of rows) indexText(tx, seq, search_text)
  return true
}

/** Updates a link, its tags and its search entry. False: its external id is in use. */
export async function updateLink(tx: Transaction, before: LinkRow, row: LinkRow): Promise<boolean> {
  const {
    seq,
    id,
    workspace_no,
    created_at,
    created_by,
    creator_name,
    block,
    uses,
    tags,
    ...changing
  } = row
  const search_text = searchText(row)
  let update = tx.db
    .updateTable('links')
    // Visitors of a limited link update `uses` at the same time.
    .set({ ...changing, search_text, ...(uses !== before.uses && { uses }) })
    .where('seq', '=', seq)
  if (row.external_id !== before.external_id) {
    // An UPDATE can't skip a conflicting row, so it checks first.
    update = update.where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('links as other')
            .select('other.seq')
            .where('other.workspace_no', '=', workspace_no)
            .where('other.external_id', '=', row.external_id),
        ),
      ),
    )
  }
  const { numUpdatedRows } = await update.executeTakeFirst()
  if (numUpdatedRows === 0n) return false
  await changeTags(tx, row, before.tag_nos, row.tag_nos)
  if (search_text !== searchText(before)) {
    unindexText(tx, seq)
    indexText(tx, seq, search_text)
  }
  return true
}

/** Deletes a link, its tags and its search entry; the caller deletes its slugs. */
export async function deleteLink(tx: Transaction, row: LinkRow): Promise<void> {
  await changeTags(tx, row, row.tag_nos, '[]')
  unindexText(tx, row.seq)
  await tx.db.deleteFrom('links').where('seq', '=', row.seq).execute()
}

const byId = prepare<{ id: string; workspaceNo: number }, LinkRow>((db, p) =>
  selectLinks({ db }).where('id', '=', p.id).where('workspace_no', '=', p.workspaceNo),
)

/** A link of the workspace that the caller can see. */
export async function findLink(
  sqlx: Sql,
  id: string,
  reader: Reader,
): Promise<LinkRow | undefined> {
  const [row] = await sqlx.run(byId, { id, workspaceNo: reader.workspace.no })
  return row !== undefined && sees(reader, row) ? row : undefined
}

const countersOf = prepare<{ seq: number }, Counters>((db, p) =>
  db.selectFrom('link_counters').select(COUNTER_COLUMNS).where('link_seq', '=', p.seq),
)

/** The counters of a link. Needs a connection with access to them: not a transaction. */
export async function findCounters(sqlx: Sql, seq: number): Promise<Counters | undefined> {
  return (await sqlx.run(countersOf, { seq }))[0]
}

const insertTags = prepareRows<Schema['link_tags'], never>((db, rows) =>
  db
    .insertInto('link_tags')
    .values(rows.map(({ workspace_no, tag_no, link_seq }) => ({ workspace_no, tag_no, link_seq })))
    .onConflict((conflict) => conflict.doNothing()),
)

async function addTags(tx: Transaction, rows: readonly Schema['link_tags'][]): Promise<void> {
  if (rows.length > 0) await tx.run(insertTags(rows.length), rows)
}

/** Updates the numbers of a link's tags, in their stored form. */
async function changeTags(
  tx: Transaction,
  { workspace_no, seq: link_seq }: LinkRow,
  before: string,
  after: string,
): Promise<void> {
  if (before === after) return
  const had = new Set(JSON.parse(before) as number[])
  const has = new Set(JSON.parse(after) as number[])
  const dropped = [...had.difference(has)]
  if (dropped.length > 0) {
    await tx.db
      .deleteFrom('link_tags')
      .where('workspace_no', '=', workspace_no)
      .where('tag_no', 'in', dropped)
      .where('link_seq', '=', link_seq)
      .execute()
  }
  const added = [...has.difference(had)].map((tag_no) => ({ workspace_no, tag_no, link_seq }))
  await addTags(tx, added)
}
