import { sql } from 'kysely'
import { hiddenFrom } from '../../lib/base/hidden-folders.ts'
import type { View } from '../../lib/base/view.ts'
import {
  type ImportRowsTable,
  type ImportStatus,
  isDeletedSeen,
  isSeen,
  type Sql,
  type Storage,
  type Transaction,
} from '../../platform/storage/index.ts'

/** A row of `import_rows`. */
export type ImportRow = ImportRowsTable

/** How many chunks of half a megabyte, or rows, are deleted per transaction. */
const STEPS = { import_chunks: 16, import_rows: 1_000 }

/** Deletes the chunks of a file or the rows of an import. */
export async function deleteAll(
  storage: Pick<Storage, 'write'>,
  table: keyof typeof STEPS,
  owner: string,
): Promise<void> {
  const mine = sql`${sql.ref(table === 'import_rows' ? 'job_id' : 'upload')} = ${owner}`
  const some = sql`DELETE FROM ${sql.table(table)} WHERE ${mine} AND n IN
    (SELECT n FROM ${sql.table(table)} WHERE ${mine} ORDER BY n LIMIT ${STEPS[table]})`
  for (let deleted = STEPS[table]; deleted === STEPS[table]; ) {
    const result = await storage.write(({ db }) => some.execute(db), { survives: 'process' })
    deleted = Number(result.numAffectedRows)
  }
}

/** An upload without an import, with an id below `below`. */
export async function forgottenUpload({ db }: Sql, below: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('import_chunks as c')
    .select('c.upload')
    .where('c.upload', '<', below)
    .where('c.n', '=', 0)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(selectFrom('imports as i').select('i.job_id').whereRef('i.upload', '=', 'c.upload')),
      ),
    )
    .limit(1)
    .executeTakeFirst()
  return row?.upload
}

/** Stores what an import needs until its job ends. */
export async function insertImport(
  { db }: Transaction,
  needs: { job_id: string; upload: string | null; token: string | null },
): Promise<void> {
  await db.insertInto('imports').values(needs).execute()
}

/** The encrypted token of an import. */
export async function findToken({ db }: Sql, jobId: string): Promise<string | null> {
  const found = db.selectFrom('imports').select('token').where('job_id', '=', jobId)
  return (await found.executeTakeFirst())?.token ?? null
}

/**
 * The jobs of imports with data that have ended or no longer exist, without the newest `files` of a
 * workspace that succeeded with this type since a time and have a file.
 */
export async function endedImports(
  { db }: Sql,
  { type, since, files }: { type: string; since: number; files: number },
): Promise<string[]> {
  const ended = await db
    .selectFrom('imports as i')
    .leftJoin('jobs as j', 'j.id', 'i.job_id')
    .select(['i.job_id', 'i.upload', 'j.workspace_no', 'j.type', 'j.status', 'j.finished_at'])
    .where('j.lease_until', 'is', null)
    .orderBy('i.job_id', 'desc')
    .execute()
  const kept = new Map<number | null, number>()
  return ended
    .filter((row) => {
      const isOf = row.upload !== null && row.type === type && row.status === 'succeeded'
      const count = kept.get(row.workspace_no) ?? 0
      if (!isOf || Number(row.finished_at) < since || count === files) return true
      kept.set(row.workspace_no, count + 1)
      return false
    })
    .map(({ job_id }) => job_id)
}

/** Takes the file of an import for another one. False: it has none any more. */
export async function takeUpload({ db }: Transaction, jobId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('imports')
    .set({ upload: null })
    .where('job_id', '=', jobId)
    .where('upload', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Returns the file that it had. */
export async function deleteImport({ db }: Transaction, jobId: string): Promise<string | null> {
  await db.deleteFrom('import_seen').where('job_id', '=', jobId).execute()
  const deleted = db.deleteFrom('imports').where('job_id', '=', jobId).returning('upload')
  return (await deleted.executeTakeFirst())?.upload ?? null
}

export async function insertRows({ db }: Transaction, rows: readonly ImportRow[]): Promise<void> {
  if (rows.length > 0) await db.insertInto('import_rows').values(rows).execute()
}

/** Filters of rows. */
export interface RowsFilter {
  status?: readonly ImportStatus[] | undefined
  undo?: readonly NonNullable<ImportRow['undo']>[] | undefined
}

/** The rows of an import except those whose links a reader can't see. */
export interface RowsView {
  jobId: string
  view: View
}

/** The rows that a reader can see: every access by a reader goes through this. */
function visible({ db }: Sql, { jobId, view }: RowsView) {
  let rows = db.selectFrom('import_rows').where('job_id', '=', jobId)
  const tables =
    hiddenFrom(view).length === 0 && view.allowed === undefined
      ? []
      : ([
          ['links', isSeen(view)],
          ['deleted_links', isDeletedSeen(view, 'l')],
        ] as const)
  for (const [table, isVisible] of tables) {
    rows = rows.where(sql<boolean>`NOT EXISTS (SELECT 1 FROM ${sql.table(table)} l
      WHERE l.id = import_rows.link_id AND NOT ${isVisible})`)
  }
  return rows
}

/** Rows after a position, in order. */
export function listRows(
  sqlx: Sql,
  view: RowsView,
  after: number,
  limit: number,
  { status, undo }: RowsFilter = {},
): Promise<ImportRow[]> {
  let rows = visible(sqlx, view).selectAll().where('n', '>', after)
  if (status !== undefined) rows = rows.where('status', 'in', status)
  if (undo !== undefined) rows = rows.where('undo', 'in', undo)
  return rows.orderBy('n').limit(limit).execute()
}

/** Rows that changed a link and weren't undone yet. */
function undoable(sqlx: Sql, view: RowsView) {
  return visible(sqlx, view)
    .where('version', 'is not', null)
    .where((eb) => eb.or([eb('undo', 'is', null), eb('undo', '=', 'kept')]))
}

/** Undoable rows below a position, last ones first. */
export function listUndoable(
  sqlx: Sql,
  view: RowsView,
  below: number,
  limit: number,
): Promise<ImportRow[]> {
  const rows = undoable(sqlx, view).selectAll().where('n', '<', below)
  return rows.orderBy('n', 'desc').limit(limit).execute()
}

/** How many rows can be undone. */
export async function countUndoable(sqlx: Sql, view: RowsView): Promise<number> {
  const counted = undoable(sqlx, view).select(({ fn }) => fn.countAll<number>().as('count'))
  return Number((await counted.executeTakeFirstOrThrow()).count)
}

/** The folders of links, by their ids. */
export async function foldersOfLinks({ db }: Sql, ids: readonly (string | null)[]) {
  const known = ids.filter((id) => id !== null)
  if (known.length === 0) return []
  const links = db.selectFrom('links').select('folder_id').distinct().where('id', 'in', known)
  return (await links.execute()).map(({ folder_id }) => folder_id)
}

export async function updateRow(
  { db }: Transaction,
  { job_id, n }: ImportRow,
  values: Partial<Pick<ImportRow, 'undo' | 'reasons' | 'version'>>,
): Promise<void> {
  await db
    .updateTable('import_rows')
    .set(values)
    .where('job_id', '=', job_id)
    .where('n', '=', n)
    .execute()
}

/** The version of a link after the undo of a later record's change of this version. */
export function restoredSince(
  { db }: Sql,
  { job_id, link_id, version }: Pick<ImportRow, 'job_id' | 'link_id' | 'version'>,
) {
  return db
    .selectFrom('import_rows')
    .select('version')
    .where('job_id', '=', job_id)
    .where('link_id', '=', link_id)
    .where('version_before', '=', version)
    .where('undo', '=', 'restored')
}

/** The version of a link before an import changed it first. */
export async function firstVersionBefore(
  { db }: Sql,
  { job_id, link_id }: Pick<ImportRow, 'job_id' | 'link_id'>,
): Promise<number | undefined> {
  const row = await db
    .selectFrom('import_rows')
    .select('version_before')
    .where('link_id', '=', link_id)
    .where('job_id', '=', job_id)
    .where('version_before', 'is not', null)
    .orderBy('version_before')
    .limit(1)
    .executeTakeFirst()
  return row?.version_before ?? undefined
}

/** The next import that has rows, and whether its job no longer exists. */
export async function nextImport(
  { db }: Sql,
  after: string,
): Promise<{ job_id: string; isOrphan: boolean } | undefined> {
  const rows = db.selectFrom('import_rows').select('job_id').where('job_id', '>', after)
  const next = await rows.orderBy('job_id').limit(1).executeTakeFirst()
  if (next === undefined) return undefined
  const job = db.selectFrom('jobs').select('id').where('id', '=', next.job_id)
  return { ...next, isOrphan: (await job.executeTakeFirst()) === undefined }
}

/** Which of these keys earlier records had. */
export async function seenOf(
  { db }: Sql,
  jobId: string,
  keys: readonly string[],
): Promise<Set<string>> {
  if (keys.length === 0) return new Set()
  const seen = await db
    .selectFrom('import_seen')
    .select('key')
    .where('job_id', '=', jobId)
    .where('key', 'in', keys)
    .execute()
  return new Set(seen.map(({ key }) => key))
}

export async function insertSeen({ db }: Transaction, jobId: string, keys: readonly string[]) {
  if (keys.length === 0) return
  await db
    .insertInto('import_seen')
    .values(keys.map((key) => ({ job_id: jobId, key })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Counts links and addresses against the plan's limits, in a transaction to be rolled back. */
export async function pretendCounts(
  { db }: Transaction,
  workspaceNo: number,
  { links, addresses }: { links: number; addresses: number },
): Promise<void> {
  await db
    .updateTable('workspaces')
    .set((eb) => ({
      links_count: eb('links_count', '+', links),
      addresses_count: eb('addresses_count', '+', addresses),
    }))
    .where('no', '=', workspaceNo)
    .execute()
}
