import { permits } from '../../http/admission.ts'
import type { Caller, Permission } from '../../http/callers.ts'
import type { Cursors } from '../../http/cursor.ts'
import { pageOf } from '../../http/page.ts'
import { hiddenFrom } from '../../lib/base/hidden-folders.ts'
import type { Ids } from '../../lib/base/ids.ts'
import type { Reader } from '../../lib/base/view.ts'
import { AppError } from '../../lib/errors/index.ts'
import { type Locale, translate } from '../../lib/i18n/index.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import { type Actor, recordChange, withoutAddresses } from '../audit/index.ts'
import { type EndAction, nameOf, recordEnd } from './ended.ts'
import { createJobRunner, type RunnerDeps } from './runner.ts'
import type { ShownJob } from './schemas.ts'
import {
  addFolders,
  cancelJob,
  changeResult,
  copyFolders,
  countOpen,
  findJob,
  insertJob,
  type JobFilter,
  type JobRow,
  type JobView,
  listJobs,
  PURGE_STEP,
  purgeJobs,
} from './store.ts'
import type { JobHandler } from './types.ts'

/** How long a finished job is kept. */
const KEPT_MS = 30 * 24 * 3_600_000

/** The most unfinished jobs of a workspace. */
const OPEN_MAX = 20

/** The path of jobs. */
export const JOBS_PATH = '/api/v1/jobs'

interface JobWriter extends Reader {
  readonly actor: Actor
  /** Absent: everything is permitted. */
  readonly scopes?: Caller['scopes'] | undefined
}

/** Who reads jobs: a person, the caller with a key, or an actor. */
export interface JobReader extends Reader {
  readonly actor?: Actor
  readonly keyId?: string | undefined
  readonly userId?: string | undefined
}

/** What is to be enqueued. */
interface NewJob {
  type: string
  input: object
  total?: number | null
  /** The folders that it is known to touch. */
  folders?: readonly (string | null | undefined)[]
  /** The job whose folders it touches as well. */
  about?: string
}

export type JobService = ReturnType<typeof createJobService>

/**
 * Work that outlasts a request: enqueued in a transaction, done in steps by one process, and
 * continued by another if that one dies. See {@link JobHandler}.
 */
export function createJobService(
  deps: Omit<RunnerDeps, 'handlers' | 'endActions' | 'scopes' | 'asking'> & {
    ids: Ids
    cursors: Cursors
  },
) {
  const { storage, clock, ids, cursors } = deps
  const handlers = new Map<string, JobHandler<unknown, unknown>>()
  const endActions = new Map<string, EndAction>()
  const scopes = new Map<string, Permission>()
  const asking = new Set<string>()
  const runner = createJobRunner({ ...deps, handlers, endActions, scopes, asking })

  async function assertRoom(
    { workspace }: Pick<JobWriter, 'workspace'>,
    soon = 0,
    sql: Sql = storage.read,
  ): Promise<void> {
    if ((await countOpen(sql, workspace.no)) + soon < OPEN_MAX) return
    throw new AppError('TOO_MANY_JOBS', { headers: { 'Retry-After': '30' } })
  }

  async function find(caller: JobReader, id: string): Promise<JobRow | undefined> {
    const row = await findJob(storage.read, viewOf(caller), id)
    return row && withActorName(storage.read, row)
  }

  return {
    start: runner.start,
    stop: runner.stop,
    /** How many jobs this process runs. */
    running: runner.running,
    /** How many jobs wait or run, on all nodes. */
    open: () => countOpen(storage.read),

    /**
     * Registers the handler of a job type; call before `start`. `endAction` records the end of such
     * jobs; `scope`: what starting one takes, and each of its steps, if it isn't `links:write`;
     * `asksOthers`: it waits for services that may never answer.
     */
    register<I, S>(
      type: string,
      handler: JobHandler<I, S>,
      {
        endAction,
        scope,
        asksOthers,
      }: { endAction?: EndAction; scope?: Permission; asksOthers?: boolean } = {},
    ): void {
      handlers.set(type, handler as JobHandler<unknown, unknown>)
      if (scope !== undefined) scopes.set(type, scope)
      if (asksOthers) asking.add(type)
      if (endAction !== undefined) endActions.set(type, endAction)
    },

    /**
     * @param soon how many jobs are about to be enqueued
     * @throws AppError TOO_MANY_JOBS if a workspace has as many unfinished jobs as it may have
     */
    assertRoom,

    /**
     * Enqueues a job, which starts after the commit; in a transaction of the workspace.
     * @throws AppError TOO_MANY_JOBS
     */
    async enqueue(
      tx: Transaction,
      { workspace, actor }: JobWriter,
      { type, input, total = null, folders = [], about }: NewJob,
    ): Promise<JobRow> {
      await assertRoom({ workspace }, 0, tx)
      const now = clock.now()
      const made = { id: ids.next('job'), workspace_no: workspace.no, type }
      const asked = { ...made, input: JSON.stringify(input) }
      const entry = { ...entryOf(asked, now), action: 'job.created' as const }
      const group = await recordChange(tx, actor, entry)
      const row = await insertJob(tx, {
        ...asked,
        total,
        created_at: now,
        actor: JSON.stringify({ ...actor, group }),
      })
      await addFolders(tx, { id: row.id, workspaceNo: workspace.no }, folders)
      if (about !== undefined) await copyFolders(tx, about, row.id)
      tx.afterCommit(runner.wake)
      return withActorName(tx, row)
    },

    /** Adds members to the result of a finished job. */
    async addResult(tx: Transaction, { id, result }: JobRow, more: object): Promise<void> {
      const all = { ...(result !== null && JSON.parse(result)), ...more }
      await changeResult(tx, id, JSON.stringify(all))
    },

    /** @throws AppError JOB_NOT_FOUND */
    get: (caller: JobReader, id: string) => orNotFound(find(caller, id)),

    /** A job that the caller can see. */
    find,

    /** A page of jobs, newest first. @throws AppError BAD_REQUEST (INVALID_CURSOR) */
    async list(
      caller: JobReader,
      { limit, cursor, ...filter }: JobFilter & { limit: number; cursor?: string | undefined },
    ) {
      const view = viewOf(caller)
      const binding = JSON.stringify(['jobs', view.workspaceNo, filter.type, filter.status])
      const below = cursor === undefined ? null : (cursors.decode(cursor, binding)[0] as string)
      const rows = await listJobs(storage.read, view, filter, { below, limit: limit + 1 })
      return pageOf(await withActorNames(storage.read, rows), limit, ({ id }) =>
        cursors.encode([id], binding),
      )
    },

    /**
     * Cancels a job: none of its further steps is committed. A finished one stays unchanged.
     * @throws AppError JOB_NOT_FOUND; INSUFFICIENT_SCOPE, FORBIDDEN without the scope that starts it
     */
    async cancel(tx: Transaction, caller: JobWriter, id: string): Promise<JobRow> {
      const now = clock.now()
      const { type } = await orNotFound(findJob(tx, viewOf(caller), id))
      assertMayEnd(caller, scopes.get(type))
      const row = await cancelJob(tx, viewOf(caller), id, now)
      if (row === undefined)
        return withActorName(tx, await orNotFound(findJob(tx, viewOf(caller), id)))
      await recordChange(tx, caller.actor, { ...entryOf(row, now), action: 'job.cancelled' })
      await recordEnd(tx, endActions, row, now)
      tx.afterCommit(() => deps.ended?.(`type="${row.type}",status="cancelled"`))
      return withActorName(tx, row)
    },

    /** Deletes jobs that finished long ago. */
    async purge(): Promise<void> {
      const before = clock.now() - KEPT_MS
      const step = () => storage.write((tx) => purgeJobs(tx, before), { survives: 'process' })
      while ((await step()) === PURGE_STEP);
    },
  }
}

function viewOf(caller: JobReader): JobView {
  const readerId = caller.actor?.id ?? caller.keyId ?? caller.userId ?? null
  const isOwnOnly = caller.allowed !== undefined
  return { workspaceNo: caller.workspace.no, hidden: hiddenFrom(caller), readerId, isOwnOnly }
}

/** @throws AppError INSUFFICIENT_SCOPE, FORBIDDEN */
function assertMayEnd({ scopes, actor }: JobWriter, scope: Permission | undefined): void {
  if (scope === undefined || scopes === undefined || permits({ scopes }, scope)) return
  if (actor.type === 'user') throw new AppError('FORBIDDEN')
  throw new AppError('INSUFFICIENT_SCOPE', { params: { scope } })
}

/** The rows without email addresses, for responses. */
async function withActorNames(sql: Sql, rows: readonly JobRow[]): Promise<JobRow[]> {
  const actors = rows.map(({ actor }) => JSON.parse(actor) as Actor)
  const shown = await withoutAddresses(sql, actors)
  return rows.map((row, n) => ({ ...row, actor: JSON.stringify(shown[n]) }))
}

async function withActorName(sql: Sql, row: JobRow): Promise<JobRow> {
  return (await withActorNames(sql, [row]))[0] ?? row
}

async function orNotFound(job: Promise<JobRow | undefined>): Promise<JobRow> {
  const row = await job
  if (row === undefined) throw new AppError('JOB_NOT_FOUND')
  return row
}

function entryOf(row: Pick<JobRow, 'id' | 'type' | 'workspace_no' | 'input'>, at: number) {
  const { id, type, workspace_no: workspaceNo } = row
  const name = nameOf(row)
  const after = name === null ? {} : { name }
  return { workspaceNo, at, target: { type: 'job' as const, id, label: type }, after }
}

/** The error in the form that the runner stores. */
type StoredError = Pick<AppError, 'code' | 'params'>

/** A job as the API returns it. The language is only used if it has failed. */
export function renderJob(row: JobRow, call: { readonly locale: Locale }): ShownJob {
  const { id, type, status, done, total, failed, result } = row
  const actor = JSON.parse(row.actor) as Actor
  const error = row.error === null ? null : (JSON.parse(row.error) as StoredError)
  return {
    id,
    type,
    name: nameOf(row),
    status,
    progress: { done, total, failed },
    result: result === null ? null : JSON.parse(result),
    error: error && {
      code: error.code,
      message: translate(call.locale, `error.${error.code}`, error.params),
    },
    actor: { type: actor.type, id: actor.id, name: actor.name },
    created_at: formatTimestamp(row.created_at),
    started_at: timeOf(row.started_at),
    finished_at: timeOf(row.finished_at),
  }
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : formatTimestamp(ms)
}
