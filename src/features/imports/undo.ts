import { createPause } from '../../lib/base/turn.ts'
import { viewOf } from '../../lib/base/view.ts'
import { AppError, type ErrorDetail } from '../../lib/errors/index.ts'
import { type Sql, savepoint, type Transaction } from '../../platform/storage/index.ts'
import type { JobRun } from '../jobs/index.ts'
import type { LinkService, LinkWriter } from '../links/index.ts'
import { reasonsOf } from './refusals.ts'
import type { ImportDeps } from './run.ts'
import {
  countUndoable,
  firstVersionBefore,
  foldersOfLinks,
  type ImportRow,
  listUndoable,
  restoredSince,
  updateRow,
} from './store.ts'

/** Rows undone per transaction. */
const STEP = 100
/**
 * The default of `undoReach`: the changes of a link that are undone, all or none. Each is restored by
 * itself, and reads what those before it have made.
 */
const UNDO_REACH = 500
/** Versions for each undone change: that of the import, that of its undo, and another for its clicks. */
const VERSIONS_EACH = 3

/** The result of a job that undoes an import. */
interface UndoResult {
  import_id: string
  deleted: number
  restored: number
  kept: number
}

/** The job's state: rows from `below` on are processed. */
export interface UndoState extends Omit<UndoResult, 'import_id'> {
  below: number
  total: number
}

type Prepared = Awaited<ReturnType<LinkService['prepareRestore']>>

/**
 * Undoes an import, last record first: created links are deleted, changed ones restored. Links
 * changed since are skipped, with a reason in their row; links that who undoes it can't see are left
 * alone, with their rows.
 */
export async function undoImport(
  { storage, links, undoReach = UNDO_REACH }: ImportDeps,
  { job, caller: callerNow, checkpoint, beginStep }: JobRun<{ import: string }, UndoState>,
): Promise<UndoResult> {
  const { workspaceNo } = job
  const jobId = job.input.import
  const viewNow = (reader: LinkWriter) => ({ jobId, view: viewOf(reader) })
  const start = async () =>
    startState(await countUndoable(storage.read, viewNow(await callerNow(storage.read))))
  let state = job.state ?? (await start())
  for (;;) {
    await beginStep(state)
    const reader = await callerNow(storage.read)
    const { total, below } = state
    const before = state
    const rows = await listUndoable(storage.read, viewNow(reader), below, STEP)
    const last = rows.at(-1)
    if (last === undefined) return resultOf(jobId, state)
    const prepared: (Prepared | AppError)[] = []
    const pause = createPause()
    for (const row of rows) {
      // Histories may be long, and one machine reads them in this thread.
      await pause()
      prepared.push(await prepare(storage.read, links, reader, row, undoReach))
    }
    state = await storage.write(
      async (tx) => {
        const caller = await callerNow(tx)
        const folders = await foldersOfLinks(
          tx,
          rows.map(({ link_id }) => link_id),
        )
        const next = { ...before, below: last.n }
        for (const [i, row] of rows.entries()) {
          await pause()
          next[await undoRow(links, caller, tx, row, prepared[i] ?? null)]++
        }
        await checkpoint(tx, {
          state: next,
          progress: {
            done: next.deleted + next.restored + next.kept,
            total,
            failed: next.kept,
          },
          result: resultOf(jobId, next),
          folders,
        })
        return next
      },
      { workspaceNo },
    )
  }
}

function startState(total: number): UndoState {
  return { below: Number.MAX_SAFE_INTEGER, total, deleted: 0, restored: 0, kept: 0 }
}

function resultOf(import_id: string, { deleted, restored, kept }: UndoState): UndoResult {
  return { import_id, deleted, restored, kept }
}

/** Reads a link's earlier version; an error is reported when its row is undone. */
async function prepare(
  sql: Sql,
  links: LinkService,
  caller: LinkWriter,
  row: ImportRow,
  reach: number,
): Promise<Prepared | AppError> {
  const { link_id: id, version, version_before: before } = row
  if (before === null || id === null) return null
  const first = (await firstVersionBefore(sql, row)) ?? before
  if (Number(version) - first > reach) return new AppError('PRECONDITION_FAILED')
  try {
    return await links.prepareRestore(caller, id, before, VERSIONS_EACH * reach)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}

async function undoRow(
  links: LinkService,
  caller: LinkWriter,
  tx: Transaction,
  row: ImportRow,
  prepared: Prepared | AppError,
): Promise<'deleted' | 'restored' | 'kept'> {
  try {
    if (prepared instanceof AppError) throw prepared
    const undo = row.version_before === null ? 'deleted' : 'restored'
    const version = await savepoint(tx, (part) => takeBack(links, caller, part, row, prepared))
    await updateRow(tx, row, { undo, version, reasons: '[]' })
    return undo
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const reasons = error.code === 'VALIDATION_FAILED' ? reasonsOf(error) : CHANGED
    await updateRow(tx, row, { undo: 'kept', reasons: JSON.stringify(reasons) })
    return 'kept'
  }
}

const CHANGED: ErrorDetail[] = [{ field: '', code: 'LINK_CHANGED' }]

/** Restores a version of a link. */
async function takeBack(
  links: LinkService,
  caller: LinkWriter,
  tx: Transaction,
  row: ImportRow,
  prepared: Prepared,
): Promise<number | null> {
  const { link_id, version, version_before: before, clicks_before: clicks } = row
  const id = link_id as string
  const since = await restoredSince(tx, row).executeTakeFirst()
  const isUnchanged = (now: number, isDeleted = false) =>
    !isDeleted && (now === version || now === since?.version)
  if (before === null) {
    await links.remove(tx, caller, id, isUnchanged)
    return version
  }
  if (before === version) return version
  const restored = await links.restore(tx, caller, id, prepared, isUnchanged)
  if (clicks === null || restored.clicks.imported === clicks) return restored.version
  const link = await links.update(tx, caller, id, { imported_clicks: clicks }, () => true)
  return link.version
}
