import { createHmac } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { assertAllowed } from '../http/index.ts'
import { type Decision, decide, type Policy } from '../limits/index.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import { attemptState, deleteAttempts, putAttempt } from './attempts-store.ts'

/** What is limited: how often, and what it is told apart by. */
export interface Limit {
  /** Tells this limit's keys from another's. */
  readonly name: string
  readonly policy: Policy
}

/**
 * Attempts at signing in and the like, counted exactly: in the database, under its one writer, so
 * that neither many requests at once nor a restart nor a second process gives anybody more. When
 * they can't be counted they aren't let through.
 */
export interface Attempts {
  /** @throws AppError RATE_LIMITED, StorageUnavailable */
  take(limit: Limit, subject: string): Promise<void>
  /** Gives an attempt back that turned out to be rightful. */
  refund(limit: Limit, subject: string): Promise<void>
  /** Takes one, and says whether there was one. */
  tryTake(limit: Limit, subject: string): Promise<boolean>
  /** Forgets those whose time is over. */
  purge(): Promise<void>
}

/** What it works with. */
export interface AttemptsDeps {
  storage: Pick<Storage, 'write'>
  clock: Clock
  /** Keeps addresses and accounts out of the table: only keyed hashes of them are in it. */
  key: Uint8Array
}

/** See {@link Attempts}. */
export function createAttempts({ storage, clock, key }: AttemptsDeps): Attempts {
  const keyOf = ({ name }: Limit, subject: string) =>
    createHmac('sha256', key).update(`${name}\n${subject}`).digest('base64url')

  function apply(limit: Limit, subject: string, cost: 1 | -1): Promise<Decision> {
    const row = keyOf(limit, subject)
    const work = async (tx: Transaction) => {
      await tx.lock(`attempts ${row}`)
      const now = clock.now()
      const decision = decide(await attemptState(tx, row), limit.policy, now, cost)
      await putAttempt(tx, row, decision.state, now + decision.fullAfterMs)
      return decision
    }
    return storage.write(work, { survives: 'process', queue: `attempts ${row}` })
  }

  return {
    async take(limit, subject) {
      const decision = await apply(limit, subject, 1)
      assertAllowed(decision)
    },
    async tryTake(limit, subject) {
      return (await apply(limit, subject, 1)).allowed
    },
    async refund(limit, subject) {
      await apply(limit, subject, -1)
    },
    async purge() {
      await storage.write((tx) => deleteAttempts(tx, clock.now()), { survives: 'process' })
    },
  }
}
