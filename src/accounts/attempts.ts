import { createHmac } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { assertAllowed } from '../http/index.ts'
import { type Decision, decide, type Policy } from '../limits/index.ts'
import type { Storage, Transaction } from '../storage/index.ts'

/** What is limited: how often, and what it is told apart by. */
export interface Limit {
  /** Tells this limit's keys from another's. */
  readonly name: string
  readonly policy: Policy
}

/**
 * How often what is worth guessing may be tried: by each address (of IPv6 each /64), and by each
 * account, whatever the addresses. A right password gives the account its attempt back.
 */
export const LIMITS = {
  signInAddress: { name: 'sign-in address', policy: { ratePerMinute: 10, burst: 20 } },
  signInAccount: { name: 'sign-in account', policy: { ratePerMinute: 1, burst: 10 } },
  signUpAddress: { name: 'sign-up address', policy: { ratePerMinute: 2, burst: 10 } },
  /** The password of somebody who is signed in already. */
  passwordPerson: { name: 'password person', policy: { ratePerMinute: 1, burst: 10 } },
  /** Messages to one address: five, then one every five minutes. */
  mailAccount: { name: 'mail account', policy: { ratePerMinute: 0.2, burst: 5 } },
  mailAddress: { name: 'mail address', policy: { ratePerMinute: 2, burst: 10 } },
  tokenAddress: { name: 'token address', policy: { ratePerMinute: 10, burst: 20 } },
  secondFactorAddress: { name: 'second factor', policy: { ratePerMinute: 10, burst: 20 } },
  /** Codes for one account: ten, then one every two minutes. */
  secondFactorAccount: { name: 'second factor account', policy: { ratePerMinute: 0.5, burst: 10 } },
  /** Wrong codes for one account: twenty, then twenty a day. A right one gives itself back. */
  secondFactorDay: { name: 'second factor day', policy: { ratePerMinute: 20 / 1_440, burst: 20 } },
  /** The message that codes are locked. */
  lockNotice: { name: 'lock notice', policy: { ratePerMinute: 1 / 1_440, burst: 1 } },
  passkeyAddress: { name: 'passkey address', policy: { ratePerMinute: 20, burst: 40 } },
  oidcAddress: { name: 'oidc address', policy: { ratePerMinute: 10, burst: 20 } },
  claimAddress: { name: 'claim address', policy: { ratePerMinute: 5, burst: 10 } },
  workspacePerson: { name: 'workspace person', policy: { ratePerMinute: 1, burst: 10 } },
  /** A code of an authenticator is good once (RFC 6238 §5.2). */
  codeOnce: { name: 'code once', policy: { ratePerMinute: 1 / 3, burst: 1 } },
} as const satisfies Record<string, Limit>

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
  /** Gives all attempts back. */
  forget(limit: Limit, subject: string): Promise<void>
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
    async forget(limit, subject) {
      const row = keyOf(limit, subject)
      await storage.write((tx) => tx.db.deleteFrom('attempts').where('key', '=', row).execute())
    },
    async purge() {
      // These say no more than their absence would.
      await storage.write(
        (tx) => tx.db.deleteFrom('attempts').where('full_at', '<=', clock.now()).execute(),
        { survives: 'process' },
      )
    },
  }
}

/** The state of one limit for one subject. */
async function attemptState(
  tx: Transaction,
  key: string,
): Promise<{ at: number; used: number } | undefined> {
  return tx.db
    .selectFrom('attempts')
    .select(['at', 'used'])
    .where('key', '=', key)
    .executeTakeFirst()
}

/** Puts down the state after an attempt. */
async function putAttempt(
  tx: Transaction,
  key: string,
  { at, used }: { at: number; used: number },
  full_at: number,
): Promise<void> {
  await tx.db
    .insertInto('attempts')
    .values({ key, at, used, full_at })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ at, used, full_at }))
    .execute()
}
