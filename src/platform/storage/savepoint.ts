import { sql } from 'kysely'
import type { Storage, Transaction, WriteOptions } from './storage.ts'

/**
 * Runs a part of a transaction that may fail: then its writes and deferred writes are rolled back,
 * and the transaction continues.
 * @throws what `work` throws
 */
export async function savepoint<T>(
  tx: Transaction,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const deferred: (() => Promise<unknown>)[] = []
  const effects: (() => void)[] = []
  const part: Transaction = {
    ...tx,
    beforeCommit: (write) => void deferred.push(write),
    afterCommit: (effect) => void effects.push(effect),
  }
  await begin.execute(tx.db)
  let result: T
  try {
    result = await work(part)
  } catch (error) {
    await undo.execute(tx.db)
    await end.execute(tx.db)
    throw error
  }
  await end.execute(tx.db)
  deferred.forEach(tx.beforeCommit)
  effects.forEach(tx.afterCommit)
  return result
}

const begin = sql`SAVEPOINT part`
const undo = sql`ROLLBACK TO SAVEPOINT part`
const end = sql`RELEASE SAVEPOINT part`

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
