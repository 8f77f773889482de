import { createPause } from '../../../lib/base/turn.ts'
import { seesFolder } from '../../../lib/base/view.ts'
import { AppError } from '../../../lib/errors/index.ts'
import { type Sql, savepoint, type Transaction } from '../../../platform/storage/index.ts'
import { type AuditRow, entryNumber, listEntries } from '../../audit/index.ts'
import type { JobRun } from '../../jobs/index.ts'
import type { LinkContext, LinkWriter } from '../context.ts'
import { type PreparedRestore, prepareRestore, restore } from '../history.ts'
import { RESTORE_REACH } from './schemas.ts'

/** The input of a job. */
export interface UndoInput {
  /** The job to be undone, and the number of its entry in the log, under which its changes are. */
  job: string
  group: number
  /** How many links it has changed. */
  total: number
}

/** The state of a job: the last processed entry, and the result so far. */
export interface UndoState {
  below: number | null
  restored: number
  kept: number
}

/** The result of a job. */
export interface UndoResult {
  job_id: string
  restored: number
  kept: number
}

/** Entries per transaction. */
const STEP = 100
const ACTIONS = ['link.updated', 'link.deleted']

/** Runs a job that restores what another one has changed or deleted, except what was changed since. */
export async function undoFound(
  ctx: LinkContext,
  { job, caller: callerNow, checkpoint, beginStep }: JobRun<UndoInput, UndoState>,
): Promise<UndoResult> {
  const { workspaceNo, input } = job
  const changes = { workspaceNo, group: input.group, action: ACTIONS }
  let state: UndoState = job.state ?? { below: null, restored: 0, kept: 0 }
  for (;;) {
    await beginStep(state)
    const { reports, read } = ctx.storage
    const entries = await listEntries(reports, changes, state.below, STEP)
    const last = entries.at(-1)
    if (last === undefined) return resultOf(input, state)
    const reader = await callerNow(read)
    const prepared: Awaited<ReturnType<typeof prepare>>[] = []
    const pause = createPause()
    for (const entry of entries) {
      await pause()
      prepared.push(await prepare(ctx, reader, entry))
    }
    const before = state
    state = await ctx.storage.write(
      async (tx) => {
        const caller = await callerNow(tx)
        const ids = entries.map(({ target_id }) => target_id)
        const from = await foldersOf(tx, ids)
        const next = { ...before, below: entryNumber(last) }
        for (const [i, entry] of entries.entries()) {
          await pause()
          next[await undoOne(ctx, tx, caller, entry, prepared[i] ?? null)]++
        }
        const { restored, kept } = next
        const done = restored + kept
        const progress = { done, failed: kept, total: Math.max(input.total, done) }
        const folders = [...from, ...(await foldersOf(tx, ids))]
        // The job stays visible to its actor when others move links to where they are hidden.
        const seen = folders.filter((id) => seesFolder(caller, id))
        await checkpoint(tx, {
          progress,
          state: next,
          result: resultOf(input, next),
          folders: seen,
        })
        return next
      },
      { workspaceNo },
    )
  }
}

/** The folders that links are in, also deleted ones. */
async function foldersOf({ db }: Sql, ids: readonly string[]): Promise<string[]> {
  const folders: string[] = []
  for (const table of ['links', 'deleted_links'] as const) {
    const found = db.selectFrom(table).select('folder_id').distinct().where('id', 'in', ids)
    folders.push(...(await found.execute()).flatMap(({ folder_id }) => folder_id ?? []))
  }
  return folders
}

function resultOf({ job }: UndoInput, { restored, kept }: UndoState): UndoResult {
  return { job_id: job, restored, kept }
}

/** Reads a link's earlier version; an error is counted when the link is restored. */
async function prepare(
  ctx: LinkContext,
  caller: LinkWriter,
  { action, target_id, version }: AuditRow,
): Promise<PreparedRestore | AppError> {
  if (action === 'link.deleted' || version === null) return null
  try {
    return await prepareRestore(ctx, caller, target_id, version - 1, RESTORE_REACH)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

async function undoOne(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkWriter,
  { action, target_id, version }: AuditRow,
  prepared: PreparedRestore | AppError,
): Promise<'restored' | 'kept'> {
  if (prepared instanceof AppError) return 'kept'
  const isUnchanged = (now: number, isDeleted: boolean) =>
    now === version && isDeleted === (action === 'link.deleted')
  try {
    await savepoint(tx, (part) => restore(ctx, part, caller, target_id, prepared, isUnchanged))
    return 'restored'
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error
    return 'kept'
  }
}
