import { sql } from 'kysely'
import { CLOSED_FOLDER } from '../../lib/base/hidden-folders.ts'
import type { JobsTable, Sql, Transaction } from '../../platform/storage/index.ts'
import type { JobStatus } from './schemas.ts'

/** A row of `jobs`. */
export type JobRow = JobsTable

/** The initial values of a job. */
const NEW = {
  status: 'queued',
  done: 0,
  failed: 0,
  state: null,
  result: null,
  error: null,
  lease_owner: null,
  attempts: 0,
  started_at: null,
  finished_at: null,
} as const satisfies Partial<JobRow>

/** Adds a job for any process to run. */
export async function insertJob(
  { db }: Transaction,
  row: Omit<JobRow, keyof typeof NEW | 'lease_until'>,
): Promise<JobRow> {
  const job = { ...row, ...NEW, lease_until: row.created_at }
  await db.insertInto('jobs').values(job).execute()
  return job
}

/** The jobs of a workspace without those that touched a hidden folder, or still may. */
export interface JobView {
  workspaceNo: number
  hidden: readonly string[]
  /** The id of the reader, who sees their own unfinished jobs. */
  readerId: string | null
  /** Whether they see no jobs of others, finished or not. */
  isOwnOnly: boolean
}

/** The jobs that a reader can see: every access by a reader goes through this. */
function visible({ db }: Sql, { workspaceNo, hidden, readerId, isOwnOnly }: JobView) {
  const own = `%"id":${JSON.stringify(readerId)}%`
  let jobs = db.selectFrom('jobs').where('workspace_no', '=', workspaceNo)
  if (isOwnOnly) jobs = jobs.where('actor', 'like', own)
  if (hidden.length === 0) return jobs
  // Which folders an import touches is only known at its end.
  const settled =
    hidden.some((id) => id !== CLOSED_FOLDER) &&
    jobs.where((e) => e.or([e('lease_until', 'is', null), e('actor', 'like', own)]))
  return (settled || jobs).where(({ not, exists, selectFrom }) =>
    not(
      exists(
        selectFrom('job_folders')
          .select('job_id')
          .whereRef('job_id', '=', 'jobs.id')
          .where('folder_id', 'in', hidden),
      ),
    ),
  )
}

/** A job that a reader can see. */
export async function findJob(sql: Sql, view: JobView, id: string): Promise<JobRow | undefined> {
  return visible(sql, view).selectAll().where('id', '=', id).executeTakeFirst()
}

/** Jobs of any of these types, with any of these statuses; absent: all. */
export interface JobFilter {
  type?: readonly string[] | undefined
  status?: readonly JobStatus[] | undefined
}

/** The newest jobs that a reader can see, older than the job `below` if that is given. */
export function listJobs(
  sql: Sql,
  view: JobView,
  { type, status }: JobFilter,
  { below, limit }: { below: string | null; limit: number },
): Promise<JobRow[]> {
  let jobs = visible(sql, view).selectAll()
  if (type !== undefined) jobs = jobs.where('type', 'in', type)
  if (status !== undefined) jobs = jobs.where('status', 'in', status)
  if (below !== null) jobs = jobs.where('id', '<', below)
  return jobs.orderBy('id', 'desc').limit(limit).execute()
}

/** How many jobs aren't finished, of a workspace or of all. */
export async function countOpen({ db }: Sql, workspaceNo?: number): Promise<number> {
  const open = db
    .selectFrom('jobs')
    .where('lease_until', 'is not', null)
    .$if(workspaceNo !== undefined, (all) => all.where('workspace_no', '=', Number(workspaceNo)))
  const counted = open.select(({ fn }) => fn.countAll<number>().as('count'))
  return Number((await counted.executeTakeFirstOrThrow()).count)
}

/** Records which folders of its workspace a job has touched; other ids are left out. */
export async function addFolders(
  { db }: Transaction,
  { id: job_id, workspaceNo }: { id: string; workspaceNo: number },
  folders: readonly (string | null | undefined)[],
): Promise<void> {
  const ids = [...new Set(folders)].filter((id) => typeof id === 'string')
  if (ids.length === 0) return
  const known = await db
    .selectFrom('folders')
    .select('id as folder_id')
    .where('workspace_no', '=', workspaceNo)
    .where('id', 'in', ids)
    .execute()
  if (known.length === 0) return
  await db
    .insertInto('job_folders')
    .values(known.map(({ folder_id }) => ({ job_id, folder_id })))
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Records for a job what another one has touched. */
export async function copyFolders({ db }: Transaction, from: string, to: string): Promise<void> {
  await sql`INSERT INTO job_folders (job_id, folder_id)
    SELECT ${sql.lit(to)}, folder_id FROM job_folders WHERE job_id = ${from}
    ON CONFLICT DO NOTHING`.execute(db)
}

/**
 * The oldest job of these types, of the workspace that has waited longest of those that have none
 * running.
 */
export async function waitingJob(
  { db }: Sql,
  types: readonly string[],
  now: number,
  /** Workspaces whose jobs this process is running. */
  busy: readonly number[],
): Promise<Pick<JobRow, 'id' | 'workspace_no'> | undefined> {
  if (types.length === 0) return undefined
  const known = sql`type IN (${sql.join(types)})`
  const others = busy.length > 0 ? sql`AND workspace_no NOT IN (${sql.join(busy)})` : sql``
  const { rows } = await sql<Pick<JobRow, 'id' | 'workspace_no'>>`
    SELECT min(CASE WHEN ${known} THEN id END) AS id, workspace_no FROM jobs
    WHERE lease_until IS NOT NULL ${others}
    GROUP BY workspace_no
    HAVING max(lease_until) <= ${now} AND min(CASE WHEN ${known} THEN id END) IS NOT NULL
    ORDER BY min(CASE WHEN ${known} THEN lease_until END), 1 LIMIT 1`.execute(db)
  return rows[0]
}

/**
 * Takes a job, until `until`, and puts the others of its workspace behind those of other
 * workspaces. In a transaction of the workspace. Undefined: another process was faster.
 */
export async function takeJob(
  { db }: Transaction,
  { id, workspace_no }: Pick<JobRow, 'id' | 'workspace_no'>,
  { owner, now, until }: { owner: string; now: number; until: number },
): Promise<JobRow | undefined> {
  const row = await db
    .updateTable('jobs')
    .set((e) => ({
      status: 'running',
      lease_owner: owner,
      lease_until: until,
      attempts: e('attempts', '+', 1),
      started_at: e.fn.coalesce('started_at', e.val(now)),
    }))
    .where('id', '=', id)
    .where('lease_until', '<=', now)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('jobs as other')
            .select('other.id')
            .where('other.workspace_no', '=', workspace_no)
            .where('other.lease_until', '>', now),
        ),
      ),
    )
    .returningAll()
    .executeTakeFirst()
  if (row === undefined) return undefined
  await db
    .updateTable('jobs')
    .set({ lease_until: now })
    .where('workspace_no', '=', workspace_no)
    .where('lease_until', '<', now)
    .execute()
  return row
}

/** Updates a job that this process holds. False: it was cancelled or taken over. */
export async function changeHeld(
  { db }: Transaction,
  { id, owner }: { id: string; owner: string },
  values: Partial<JobRow>,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('jobs')
    .set(values)
    .where('id', '=', id)
    .where('lease_owner', '=', owner)
    .where('lease_until', 'is not', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** A job as it is in a transaction that has changed it. */
export function jobIn({ db }: Transaction, id: string): Promise<JobRow> {
  return db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** Replaces the result of a finished job. */
export async function changeResult({ db }: Transaction, id: string, result: string): Promise<void> {
  await db.updateTable('jobs').set({ result }).where('id', '=', id).execute()
}

/** The lease of finished jobs. */
export const FINISHED = { lease_owner: null, lease_until: null } as const

/** Cancels an unfinished job that the caller can see. Undefined: there is none. */
export function cancelJob(
  tx: Transaction,
  view: JobView,
  id: string,
  now: number,
): Promise<JobRow | undefined> {
  return tx.db
    .updateTable('jobs')
    .set({ ...FINISHED, status: 'cancelled', finished_at: now })
    .where('id', 'in', visible(tx, view).select('id').where('id', '=', id))
    .where('lease_until', 'is not', null)
    .returningAll()
    .executeTakeFirst()
}

/** Releases what this process holds but doesn't run: all jobs except those of `busy` workspaces. */
export async function releaseJobs(
  { db }: Transaction,
  owner: string,
  busy: readonly number[],
): Promise<void> {
  let left = db
    .updateTable('jobs')
    .set({ lease_until: 0 })
    .where('lease_owner', '=', owner)
    .where('lease_until', '>', 0)
  if (busy.length > 0) left = left.where('workspace_no', 'not in', busy)
  await left.execute()
}

/** Jobs deleted per transaction, so that no write waits long. */
export const PURGE_STEP = 500

/** Deletes some jobs that were finished before a time, with what they touched. Returns how many. */
export async function purgeJobs({ db }: Transaction, before: number): Promise<number> {
  const old = db.selectFrom('jobs').select('id').where('finished_at', '<', before)
  const ids = (await old.limit(PURGE_STEP).execute()).map(({ id }) => id)
  if (ids.length === 0) return 0
  await db.deleteFrom('job_folders').where('job_id', 'in', ids).execute()
  await db.deleteFrom('jobs').where('id', 'in', ids).execute()
  return ids.length
}
