import type { Storage, Transaction, WriteOptions } from './storage.ts'

/** Rolls a transaction back at its end. */
class Rehearsed extends Error {}

/**
 * Runs `work` in a transaction that is rolled back: nothing is written, and nothing runs after its
 * commit.
 * @throws what `work` throws
 */
export async function rehearse<T>(
  storage: Pick<Storage, 'write'>,
  work: (tx: Transaction) => Promise<T>,
  options: WriteOptions,
): Promise<T> {
  let result: { value: T } | undefined
  const undone = storage.write(async (tx) => {
    result = { value: await work(tx) }
    throw new Rehearsed()
  }, options)
  await undone.catch((error) => {
    if (!(error instanceof Rehearsed)) throw error
  })
  if (result === undefined) throw new Error('The transaction did not run')
  return result.value
}
