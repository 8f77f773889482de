import { type RawBuilder, type Selectable, sql } from 'kysely'
import { CLOSED_FOLDER } from '../../lib/base/hidden-folders.ts'
import { seesFolder, type View } from '../../lib/base/view.ts'
import {
  containing,
  isFolderSeen,
  isSeen,
  type Schema,
  type Sql,
  type Transaction,
} from '../../platform/storage/index.ts'

/** A row of `folders`. */
export type FolderRow = Selectable<Schema['folders']>

/** The folder of a workspace that holds the links of this folder id now. */
export function findFolder({ db }: Sql, workspaceNo: number, id: string) {
  return db
    .selectFrom('folders as f')
    .innerJoin('folders as asked', (join) =>
      join.on(sql<boolean>`f.id = coalesce(asked.merged_into, asked.id)`),
    )
    .selectAll('f')
    .where('asked.id', '=', id)
    .where('asked.workspace_no', '=', workspaceNo)
    .executeTakeFirst()
}

/** The folder ids in links' rows: the folder's own, and those of folders merged into it. */
export async function idsOfFolder({ db }: Sql, workspaceNo: number, id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('folders')
    .select('id')
    .where('workspace_no', '=', workspaceNo)
    .where((eb) =>
      eb.or([
        eb.and([eb('id', '=', id), eb('merged_into', 'is', null)]),
        eb('merged_into', '=', id),
      ]),
    )
    .execute()
  return rows.map((row) => row.id)
}

/** No folder has this id. */
const NONE = ['']

/** The ids that a filter by a folder looks for: of none, if it doesn't exist or is hidden. */
export async function findIdsOf(
  sqlx: Sql,
  workspaceNo: number,
  id: string,
  view: View,
): Promise<readonly string[]> {
  const ids = seesFolder(view, id) ? await idsOfFolder(sqlx, workspaceNo, id) : []
  return ids.length === 0 ? NONE : ids
}

/** The ids of folders whose links a person can't see, and of those merged into them. */
export async function findHidden(
  { db }: Sql,
  workspaceNo: number,
  userId: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT f.id FROM folders f
    JOIN folders m ON m.id = coalesce(f.merged_into, f.id)
    WHERE f.workspace_no = ${workspaceNo} AND m.access = 'members' AND NOT EXISTS
      (SELECT 1 FROM folder_members x WHERE x.folder_id = m.id AND x.user_id = ${userId})
    ORDER BY f.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** Whether a folder has a link. */
export async function hasLinks({ db }: Sql, folder: FolderRow): Promise<boolean> {
  const { rows } = await sql`SELECT 1 FROM links l
    WHERE ${isIn(folder.workspace_no, sql`${folder.id}`)} LIMIT 1`.execute(db)
  return rows.length > 0
}

/** How many links that a reader can see a folder has. */
export async function countLinks(
  { db }: Sql,
  workspaceNo: number,
  id: string,
  view: View,
): Promise<number> {
  const { rows } = await sql<{ n: number }>`SELECT count(*) AS n FROM links l
    WHERE ${isIn(workspaceNo, sql`${id}`)} AND ${isSeen(view)}`.execute(db)
  return Number(rows[0]?.n ?? 0)
}

/** Whether the row `l` of `links` is in a folder; has the condition of the partial index. */
function isIn(workspaceNo: number, id: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`l.workspace_no = ${workspaceNo} AND l.folder_id IS NOT NULL
    AND l.folder_id IN (SELECT g.id FROM folders g WHERE g.id = ${id} AND g.merged_into IS NULL
      UNION ALL SELECT g.id FROM folders g WHERE g.merged_into = ${id})`
}

/** A page of folders. */
interface FolderPage {
  workspaceNo: number
  term: string
  /** Exclusive; null: the first page. */
  after: { nameKey: string; id: string } | null
  limit: number
  view: View
}

export type CountedFolder = FolderRow & { links: number }

/** Folders by name, with how many links each has. */
export async function listFolders({ db }: Sql, page: FolderPage): Promise<CountedFolder[]> {
  const { workspaceNo, term, after, limit, view } = page
  const { rows } = await sql<CountedFolder>`
    SELECT f.*,
      (SELECT count(*) FROM links l WHERE ${isIn(workspaceNo, sql`f.id`)}
        AND ${isSeen(view)}) AS links
    FROM folders f WHERE f.workspace_no = ${workspaceNo} AND f.merged_into IS NULL
      ${term === '' ? sql`` : sql`AND f.name_key LIKE ${containing(term)} ESCAPE '\\'`}
      ${after === null ? sql`` : sql`AND (f.name_key, f.id) > (${after.nameKey}, ${after.id})`}
      AND ${isFolderSeen(view, 'f.id')}
    ORDER BY f.name_key, f.id LIMIT ${limit}`.execute(db)
  return rows.map((row) => ({ ...row, links: Number(row.links) }))
}

export async function insertFolder(tx: Transaction, row: FolderRow): Promise<void> {
  await tx.db.insertInto('folders').values(row).execute()
}

export async function updateFolder(
  { db }: Transaction,
  id: string,
  changes: Partial<FolderRow>,
): Promise<void> {
  await db.updateTable('folders').set(changes).where('id', '=', id).execute()
}

/** Merges a folder into another one, or removes it from its links (null). The folder is deleted. */
export async function dissolve({ db }: Transaction, id: string, into: string | null) {
  await db.deleteFrom('folder_members').where('folder_id', '=', id).execute()
  if (into === null) {
    await db
      .deleteFrom('folders')
      .where((eb) => eb.or([eb('id', '=', id), eb('merged_into', '=', id)]))
      .execute()
    return
  }
  await db
    .updateTable('folders')
    .set({ merged_into: into })
    .where((eb) => eb.or([eb('id', '=', id), eb('merged_into', '=', id)]))
    .execute()
}

/** Deleted links per statement, so that no other request waits long. */
const CLOSED_AT_ONCE = 1_000

/**
 * Keeps the deleted links, jobs and tags of a restricted folder hidden after it is deleted, from
 * everyone who doesn't see everything.
 */
export async function closeFolder({ db }: Transaction, { id, workspace_no }: FolderRow) {
  const ids = await idsOfFolder({ db } as Sql, workspace_no, id)
  const deleted = sql`SELECT d.seq FROM deleted_links d
    WHERE d.workspace_no = ${workspace_no} AND d.folder_id IN (${sql.join(ids)})`
  for (let closed = CLOSED_AT_ONCE; closed === CLOSED_AT_ONCE; ) {
    const { numAffectedRows } = await sql`UPDATE deleted_links SET folder_id = ${CLOSED_FOLDER}
      WHERE seq IN (${deleted} LIMIT ${CLOSED_AT_ONCE})`.execute(db)
    closed = Number(numAffectedRows)
    await new Promise<void>((turn) => setImmediate(turn))
  }
  await sql`INSERT INTO job_folders (job_id, folder_id)
    SELECT DISTINCT job_id, ${sql.lit(CLOSED_FOLDER)} FROM job_folders
    WHERE folder_id IN (${sql.join(ids)}) ON CONFLICT DO NOTHING`.execute(db)
  await db
    .updateTable('tags')
    .set({ folder_id: CLOSED_FOLDER })
    .where('workspace_no', '=', workspace_no)
    .where('folder_id', 'in', ids)
    .execute()
}

/** The ids of the restricted folders of a workspace, and of those merged into them. */
export async function findRestricted({ db }: Sql, workspaceNo: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`SELECT f.id FROM folders f
    JOIN folders m ON m.id = coalesce(f.merged_into, f.id)
    WHERE f.workspace_no = ${workspaceNo} AND m.access = 'members'`.execute(db)
  return rows.map(({ id }) => id)
}

/** The members of restricted folders, by folder. */
export async function membersOf(
  { db }: Sql,
  ids: readonly string[],
): Promise<Map<string, string[]>> {
  const members = new Map<string, string[]>(ids.map((id) => [id, []]))
  if (ids.length === 0) return members
  const rows = await db
    .selectFrom('folder_members')
    .selectAll()
    .where('folder_id', 'in', ids)
    .orderBy('user_id')
    .execute()
  for (const { folder_id, user_id } of rows) members.get(folder_id)?.push(user_id)
  return members
}

export async function setMembers({ db }: Transaction, id: string, userIds: readonly string[]) {
  await db.deleteFrom('folder_members').where('folder_id', '=', id).execute()
  if (userIds.length === 0) return
  await db
    .insertInto('folder_members')
    .values(userIds.map((user_id) => ({ folder_id: id, user_id })))
    .execute()
}

/** Those of these people who are members of a workspace. */
export async function findMembers(
  { db }: Sql,
  workspaceNo: number,
  userIds: readonly string[],
): Promise<Set<string>> {
  if (userIds.length === 0) return new Set()
  const rows = await db
    .selectFrom('members')
    .select('user_id')
    .where('workspace_no', '=', workspaceNo)
    .where('user_id', 'in', userIds)
    .execute()
  return new Set(rows.map(({ user_id }) => user_id))
}

/** Removes a person from all folders of a workspace. */
export async function leaveFolders({ db }: Transaction, workspaceNo: number, userId: string) {
  await db
    .deleteFrom('folder_members')
    .where('user_id', '=', userId)
    .where('folder_id', 'in', (eb) =>
      eb.selectFrom('folders').select('id').where('workspace_no', '=', workspaceNo),
    )
    .execute()
}
