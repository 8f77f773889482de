import type { Slugline } from '../../../../sdk/typescript/src/index.ts'
import { CommandError } from '../../context.ts'
import { type BulkOutcome, batchesOf, sendOperations } from '../bulk-requests.ts'
import { commandErrorOf } from '../request-error.ts'
import type { Change, Refusal } from './plan.ts'

/** The results of a plan's changes. */
export interface Applied {
  done: Change[]
  refusals: Refusal[]
}

/**
 * Makes changes, each independently. `progress` is called with how many were tried.
 * @throws CommandError if the instance doesn't accept a request as a whole
 */
export async function applyChanges(
  slugline: Slugline,
  changes: readonly Change[],
  progress: (tried: number) => void,
): Promise<Applied> {
  const outcomes = new Map<Change, BulkOutcome | undefined>()
  try {
    for await (const batch of requestsOf(changes)) {
      const operations = batch.map(({ operation }) => operation)
      const left = batch.values()
      for await (const { data } of sendOperations(slugline, operations)) {
        for (const [i, change] of left.take(data.length).toArray().entries()) {
          outcomes.set(change, data[i])
        }
        progress(outcomes.size)
      }
    }
  } catch (thrown) {
    const error = commandErrorOf(thrown)
    if (!(error instanceof CommandError) || outcomes.size === 0) throw error
    const { done } = appliedOf(changes, outcomes)
    const text = `${error.message}. ${done.length} of ${changes.length} changes were made; run the command again for the rest`
    throw new CommandError(text, error.status, error.code, error.details)
  }
  return appliedOf(changes, outcomes)
}

/** In the order of the plan. */
function appliedOf(
  changes: readonly Change[],
  outcomes: ReadonlyMap<Change, BulkOutcome | undefined>,
): Applied {
  const applied: Applied = { done: [], refusals: [] }
  for (const change of changes.filter((each) => outcomes.has(each))) {
    const { error, link } = outcomes.get(change) ?? {}
    const made = link && { id: link.id, shortUrl: link.short_url }
    if (error === undefined) applied.done.push({ ...change, ...made })
    else applied.refusals.push({ ...change, error })
  }
  return applied
}

/** The changes by request. Passwords take long to hash, so a request has one at most. */
async function* requestsOf(changes: readonly Change[]): AsyncGenerator<Change[]> {
  const hasPassword = ({ operation }: Change) => typeof operation.link?.password === 'string'
  const plain = changes.filter((change) => !hasPassword(change))
  let next = 0
  for await (const { length } of batchesOf(plain.map(({ operation }) => operation))) {
    yield plain.slice(next, next + length)
    next += length
  }
  for (const change of changes.filter(hasPassword)) yield [change]
}
