import { createPause } from '../../../lib/base/turn.ts'
import { AppError } from '../../../lib/errors/index.ts'
import type { Tag } from '../../../model/links/values.ts'
import { savepoint, type Transaction } from '../../../platform/storage/index.ts'
import type { JobRun } from '../../jobs/index.ts'
import type { LinkContext, LinkWriter } from '../context.ts'
import type { PreparedPatch } from '../fields.ts'
import type { FilterQuery } from '../list-query.ts'
import { remove } from '../remove.ts'
import type { LinkRow } from '../row.ts'
import { change } from '../update.ts'
import { type Found, nextFound, stillFound } from './filtered.ts'
import { LINK_BYTES_MAX } from './schemas.ts'

/** The change of each matching link. */
export interface LinkChange {
  delete?: true | undefined
  patch?: PreparedPatch | undefined
  add_tags?: Tag[] | undefined
  remove_tags?: Tag[] | undefined
}

/** The input of a job. */
export interface ByFilterInput extends Found {
  filter: FilterQuery
  change: LinkChange
}

/** The state of a job: the last processed link, and the result so far. */
export interface ByFilterState {
  after: number
  result: ByFilterResult
}

/** The result of a job. */
export interface ByFilterResult {
  succeeded: number
  failed: number
  /** The first refused links. */
  errors: { id: string; code: string; details: { field: string; code: string }[] }[]
}

/** Links per transaction. */
const STEP = 100
const ERRORS_MAX = 100

/** Runs a job: changes the matching links one by one. */
export async function changeFound(
  ctx: LinkContext,
  { job, caller: callerNow, checkpoint, beginStep }: JobRun<ByFilterInput, ByFilterState>,
): Promise<ByFilterResult> {
  const { filter, change: wanted, low, high, total } = job.input
  let state = job.state ?? { after: low - 1, result: { succeeded: 0, failed: 0, errors: [] } }
  for (;;) {
    await beginStep(state)
    const range = { low: state.after + 1, high }
    const seqs = await nextFound(ctx, await callerNow(ctx.storage.read), filter, range, STEP)
    const last = seqs.at(-1)
    if (last === undefined) return state.result
    const { result } = state
    state = await ctx.storage.write(
      async (tx) => {
        const caller = await callerNow(tx)
        const rows = await stillFound(ctx, tx, caller, filter, seqs)
        const { tried, refusals } = await changeEach(ctx, tx, caller, rows, wanted)
        const folders = tried.map(({ folder_id }) => folder_id)
        const after = tried.length < rows.length ? (tried.at(-1) as LinkRow).seq : last
        const succeeded = result.succeeded + tried.length - refusals.length
        const failed = result.failed + refusals.length
        const errors = [...result.errors, ...refusals.map(toError)].slice(0, ERRORS_MAX)
        const next = { after, result: { succeeded, failed, errors } }
        const done = succeeded + failed
        const progress = { done, failed, total: Math.max(total, done) }
        await checkpoint(tx, { progress, state: next, result: next.result, folders })
        return next
      },
      { workspaceNo: job.workspaceNo },
    )
  }
}

/** The outcome for the first of matching links, `seqs`; in a transaction to be rolled back. */
export async function tryFound(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkWriter,
  { filter, change: wanted }: Pick<ByFilterInput, 'filter' | 'change'>,
  seqs: readonly number[],
): Promise<{ succeeded: number; failed: number; refusals: Refusal[] }> {
  const rows = seqs.length === 0 ? [] : await stillFound(ctx, tx, caller, filter, seqs)
  const { tried, refusals } = await changeEach(ctx, tx, caller, rows, wanted)
  const failed = refusals.length
  return { succeeded: tried.length - failed, failed, refusals: refusals.slice(0, ERRORS_MAX) }
}

/** Why a link wasn't changed. */
interface Refusal {
  id: string
  error: AppError
}

/**
 * Changes links independently; returns the refused ones, which are rolled back. Ends early when the
 * transaction has become too large.
 */
async function changeEach(
  ctx: LinkContext,
  tx: Transaction,
  caller: LinkWriter,
  rows: readonly LinkRow[],
  wanted: LinkChange,
): Promise<{ tried: readonly LinkRow[]; refusals: Refusal[] }> {
  const refusals: Refusal[] = []
  const pause = createPause()
  for (const [i, row] of rows.entries()) {
    if (tx.recorded.bytes > LINK_BYTES_MAX) return { tried: rows.slice(0, i), refusals }
    await pause()
    try {
      await savepoint(tx, async (part) => {
        if (wanted.delete) return remove(ctx, part, caller, row.id, () => true)
        const { patch, add_tags = patch?.add_tags, remove_tags = patch?.remove_tags } = wanted
        const all = { ...patch, add_tags, remove_tags }
        await change(ctx, part, caller, { row, isDeleted: false }, all, 'link.updated')
      })
    } catch (error) {
      if (!(error instanceof AppError) || error.status >= 500) throw error
      refusals.push({ id: row.id, error })
    }
  }
  return { tried: rows, refusals }
}

function toError({ id, error: { code, details = [] } }: Refusal): ByFilterResult['errors'][number] {
  return { id, code, details: details.map(({ field, code: detail }) => ({ field, code: detail })) }
}
