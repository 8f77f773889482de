import { SluglineError } from '../../../sdk/typescript/src/errors.ts'
import type { Body, Result, Slugline } from '../../../sdk/typescript/src/index.ts'
import { CommandError } from '../context.ts'
import { PATIENT } from './remote.ts'

/** The limits of a request, with some room for what surrounds the operations. */
export const OPERATIONS_MAX = 1_000
const BYTES_MAX = 4 * 1024 * 1024 - 1_024

/** The results of a request. */
export type BulkAnswer = Result<'/links/bulk', 'post'>

/** The result of one operation. */
export type BulkOutcome = BulkAnswer['data'][number]

/**
 * Sends operations in one request, or in several if their links are too large for one. Yields the
 * answers in order; the instance checks the operations.
 */
export async function* sendOperations(
  slugline: Slugline,
  operations: readonly object[],
  { atomic = false, dryRun = false } = {},
): AsyncGenerator<BulkAnswer> {
  let answer: BulkAnswer
  try {
    answer = await slugline.links.bulk(
      { atomic, operations: operations as Body<'/links/bulk', 'post'>['operations'] },
      { ...PATIENT, query: { dry_run: dryRun ? 'true' : undefined } },
    )
  } catch (error) {
    if (atomic || operations.length === 1 || !areTooMany(error)) throw error
    const half = Math.ceil(operations.length / 2)
    for (const part of [operations.slice(0, half), operations.slice(half)]) {
      yield* sendOperations(slugline, part, { dryRun })
    }
    return
  }
  for (const { error } of answer.data) {
    for (const each of error?.details ?? []) {
      // The index in this request would be misleading.
      each.field = each.field.replace(/^operations\[\d+\]\.?/, '')
    }
  }
  yield answer
}

function areTooMany(error: unknown): boolean {
  if (!(error instanceof SluglineError)) return false
  return error.details.some(({ field, code }) => field === 'operations' && code === 'TOO_MANY')
}

/** Splits operations into requests; atomic ones stay in one. @throws CommandError */
export async function* batchesOf<T extends object>(
  operations: AsyncIterable<T> | Iterable<T>,
  { skip = 0, atomic = false } = {},
): AsyncGenerator<T[]> {
  let batch: T[] = []
  let bytes = 0
  let n = 0
  for await (const operation of operations) {
    if (n++ < skip) continue
    const size = Buffer.byteLength(JSON.stringify(operation)) + 1
    if (batch.length === OPERATIONS_MAX || (batch.length > 0 && bytes + size > BYTES_MAX)) {
      if (atomic) throw new CommandError(`--atomic takes ${OPERATIONS_MAX} operations in 4 MiB`, 2)
      yield batch
      batch = []
      bytes = 0
    }
    batch.push(operation)
    bytes += size
  }
  if (batch.length > 0) yield batch
}
