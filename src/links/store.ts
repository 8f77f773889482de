import { type RawBuilder, sql } from 'kysely'
import { prepare, SEQS_PER_WORKSPACE, type Sql, type Transaction } from '../storage/index.ts'
import { tagKeys } from './render.ts'
import { indexText, searchText, unindexText } from './search.ts'
import type { Counters, LinkRow } from './types.ts'

export const LINK_COLUMNS = [
  'seq',
  'id',
  'workspace_no',
  'domain_no',
  'slug',
  'slug_key',
  'destination_url',
  'target_url',
  'title',
  'notes',
  'tags',
  'aliases',
  'external_id',
  'enabled',
  'blocked',
  'redirect_status',
  'forward_query',
  'starts_at',
  'expires_at',
  'max_clicks',
  'uses',
  'fallback_url',
  'password_hash',
  'created_at',
  'updated_at',
  'version',
] as const satisfies readonly (keyof LinkRow)[]

const COUNTER_COLUMNS = ['total', 'human', 'bot', 'unique_visitors', 'last_clicked_at'] as const

/** The columns of a link `l` with its counters `c`, for a statement written in SQL. */
export const LINK_WITH_COUNTERS: RawBuilder<unknown> = sql.raw(
  [...LINK_COLUMNS.map((name) => `l.${name}`), ...COUNTER_COLUMNS.map((name) => `c.${name}`)].join(
    ', ',
  ),
)

const takeNumbers = prepare<
  { workspaceNo: number; limit: number; made: number; now: number },
  { links_made: number; last_link_at: number; audit_made: number }
>((db, p) =>
  db
    .updateTable('workspaces')
    .set((eb) => ({
      links_count: eb('links_count', '+', 1),
      links_made: eb('links_made', '+', p.made),
      audit_made: eb('audit_made', '+', 1),
      last_link_at: sql<number>`CASE WHEN last_link_at > ${p.now} THEN last_link_at ELSE ${p.now} END`,
    }))
    .where('no', '=', p.workspaceNo)
    .where('links_count', '<', p.limit)
    .returning(['links_made', 'last_link_at', 'audit_made']),
)

/** A new link's place in its workspace. */
export interface Place {
  n: number
  /** Never before the link before. */
  createdAt: number
  /** The number of the audit entry about it, taken in the same statement. */
  entryNo: number
}

/**
 * Takes the next link's place in a workspace, if its plan allows one more.
 * Null: the limit is reached.
 */
export async function takePlace(
  tx: Transaction,
  workspaceNo: number,
  limit: number | null,
  now: number,
): Promise<Place | null> {
  const max = limit ?? Number.MAX_SAFE_INTEGER
  const [row] = await tx.run(takeNumbers, { workspaceNo, limit: max, made: 1, now })
  if (row === undefined) return null
  return { n: row.links_made, createdAt: row.last_link_at, entryNo: row.audit_made }
}

/**
 * Counts a link again that comes back, if the plan allows one more. Gives back the number of the
 * audit entry about it; null: the limit is reached.
 */
export async function takePlaceBack(
  tx: Transaction,
  workspaceNo: number,
  limit: number | null,
): Promise<number | null> {
  const max = limit ?? Number.MAX_SAFE_INTEGER
  const [row] = await tx.run(takeNumbers, { workspaceNo, limit: max, made: 0, now: 0 })
  return row?.audit_made ?? null
}

const giveBack = prepare<{ workspaceNo: number }, never>((db, p) =>
  db
    .updateTable('workspaces')
    .set((eb) => ({ links_count: eb('links_count', '-', 1) }))
    .where('no', '=', p.workspaceNo),
)

/** Counts one link less in a workspace. */
export async function givePlaceBack(tx: Transaction, workspaceNo: number): Promise<void> {
  await tx.run(giveBack, { workspaceNo })
}

type WrittenRow = LinkRow & { search_text: string }

const insert = prepare<WrittenRow, { seq: number }>((db, p) =>
  db
    .insertInto('links')
    .values({ ...columns(p, LINK_COLUMNS), search_text: p.search_text })
    .onConflict((conflict) => conflict.doNothing())
    .returning('seq'),
)

/** Adds a link with its tags, and makes it findable. False: its external id is in use. */
export async function insertLink(tx: Transaction, row: LinkRow): Promise<boolean> {
  const search_text = searchText(row)
  if ((await tx.run(insert, { ...row, search_text })).length === 0) return false
  await changeTags(tx, row, '[]', row.tags)
  indexText(tx, row.seq, search_text)
  return true
}

/** `uses` null: as many as there are by now. */
type ChangedRow = Omit<WrittenRow, 'uses'> & { uses: number | null }

const FIXED: readonly string[] = ['seq', 'id', 'workspace_no', 'created_at', 'blocked', 'uses']
const CHANGING = LINK_COLUMNS.filter((name) => !FIXED.includes(name))

const update = prepare<ChangedRow, { seq: number }>((db, p) =>
  db
    .updateTable('links')
    .set({
      ...columns(p as WrittenRow, CHANGING),
      // Visitors of a limited link raise it at the same time.
      uses: sql<number>`coalesce(${p.uses}, uses)`,
      search_text: p.search_text,
    })
    .where('seq', '=', p.seq)
    .where(({ or, eb, not, exists, selectFrom }) =>
      // An UPDATE can't skip a row that conflicts, so it asks before it writes.
      or([
        eb('external_id', '=', p.external_id as string),
        not(
          exists(
            selectFrom('links as other')
              .select('other.seq')
              .where('other.workspace_no', '=', p.workspace_no)
              .where('other.external_id', '=', p.external_id as string),
          ),
        ),
      ]),
    )
    .returning('seq'),
)

/** Changes a link, its tags and its search entry. False: its external id is in use. */
export async function updateLink(tx: Transaction, before: LinkRow, row: LinkRow): Promise<boolean> {
  const search_text = searchText(row)
  const uses = row.uses === before.uses ? null : row.uses
  if ((await tx.run(update, { ...row, uses, search_text })).length === 0) return false
  await changeTags(tx, row, before.tags, row.tags)
  if (search_text !== searchText(before)) {
    unindexText(tx, row.seq)
    indexText(tx, row.seq, search_text)
  }
  return true
}

const remove = prepare<{ seq: number }, never>((db, p) =>
  db.deleteFrom('links').where('seq', '=', p.seq),
)

/** Removes a link, its tags and its search entry; its slugs are the caller's to remove. */
export async function deleteLink(tx: Transaction, row: LinkRow): Promise<void> {
  await changeTags(tx, row, row.tags, '[]')
  unindexText(tx, row.seq)
  await tx.run(remove, { seq: row.seq })
}

function columns(p: LinkRow, names: readonly (keyof LinkRow)[]): LinkRow {
  return Object.fromEntries(names.map((name) => [name, p[name]])) as LinkRow
}

const byId = prepare<{ id: string; workspaceNo: number }, LinkRow>((db, p) =>
  db
    .selectFrom('links')
    .select(LINK_COLUMNS)
    .where('id', '=', p.id)
    .where('workspace_no', '=', p.workspaceNo),
)

/** A link of a workspace. */
export async function findLink(
  sqlx: Sql,
  id: string,
  workspaceNo: number,
): Promise<LinkRow | undefined> {
  return (await sqlx.run(byId, { id, workspaceNo }))[0]
}

const ofWorkspace = prepare<{ low: number; high: number; limit: number }, LinkRow>((db, p) =>
  db
    .selectFrom('links')
    .select(LINK_COLUMNS)
    .where('seq', '>', p.low)
    .where('seq', '<', p.high)
    .orderBy('seq')
    .limit(p.limit),
)

/** At most `limit` links of a workspace, the oldest first. */
export async function linksOf(sqlx: Sql, workspaceNo: number, limit: number): Promise<LinkRow[]> {
  const low = workspaceNo * SEQS_PER_WORKSPACE
  return sqlx.run(ofWorkspace, { low, high: low + SEQS_PER_WORKSPACE, limit })
}

const countersOf = prepare<{ seq: number }, Counters>((db, p) =>
  db.selectFrom('link_counters').select(COUNTER_COLUMNS).where('link_seq', '=', p.seq),
)

/** What was counted of a link. Needs a connection that sees the counters: not a transaction. */
export async function findCounters(sqlx: Sql, seq: number): Promise<Counters | undefined> {
  return (await sqlx.run(countersOf, { seq }))[0]
}

const insertTag = prepare<{ workspaceNo: number; key: string; seq: number }, never>((db, p) =>
  db
    .insertInto('link_tags')
    .values({ workspace_no: p.workspaceNo, tag_key: p.key, link_seq: p.seq })
    .onConflict((conflict) => conflict.doNothing()),
)
const deleteTag = prepare<{ workspaceNo: number; key: string; seq: number }, never>((db, p) =>
  db
    .deleteFrom('link_tags')
    .where('workspace_no', '=', p.workspaceNo)
    .where('tag_key', '=', p.key)
    .where('link_seq', '=', p.seq),
)

async function changeTags(
  tx: Transaction,
  { workspace_no: workspaceNo, seq }: LinkRow,
  before: string,
  after: string,
): Promise<void> {
  if (before === after) return
  const had = tagKeys(before)
  const has = tagKeys(after)
  for (const key of had.difference(has)) await tx.run(deleteTag, { workspaceNo, key, seq })
  for (const key of has.difference(had)) await tx.run(insertTag, { workspaceNo, key, seq })
}
