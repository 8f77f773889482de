import { createHmac } from 'node:crypto'
import { assertAllowed } from '../http/index.ts'
import { type Decision, decide, type Policy } from '../limits/index.ts'
import type { Transaction } from '../storage/index.ts'
import type { AccountsDeps } from './accounts.ts'

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
  /** The password of a person who is signed in already. */
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
export function createAttempts(deps: Pick<AccountsDeps, 'storage' | 'clock' | 'key'>) {
  const { storage, clock, key } = deps
  // Keeps addresses and accounts out of the table: only keyed hashes of them are in it.
  const keyOf = ({ name }: Limit, subject: string) =>
    createHmac('sha256', key).update(`${name}\n${subject}`).digest('base64url')

  function apply(limit: Limit, subject: string, cost: 1 | -1): Promise<Decision> {
    const key = keyOf(limit, subject)
    const work = async (tx: Transaction) => {
      await tx.lock(`attempts ${key}`)
      const now = clock.now()
      const before = await tx.db
        .selectFrom('attempts')
        .select(['at', 'used'])
        .where('key', '=', key)
        .executeTakeFirst()
      const decision = decide(before, limit.policy, now, cost)
      const state = { ...decision.state, full_at: now + decision.fullAfterMs }
      await tx.db
        .insertInto('attempts')
        .values({ key, ...state })
        .onConflict((conflict) => conflict.column('key').doUpdateSet(state))
        .execute()
      return decision
    }
    return storage.write(work, { survives: 'process', queue: `attempts ${key}` })
  }

  return {
    /** @throws AppError RATE_LIMITED, StorageUnavailable */
    async take(limit: Limit, subject: string): Promise<void> {
      assertAllowed(await apply(limit, subject, 1))
    },
    /** Takes one, and says whether there was one. */
    async tryTake(limit: Limit, subject: string): Promise<boolean> {
      return (await apply(limit, subject, 1)).allowed
    },
    /** Gives an attempt back that turned out to be rightful. */
    async refund(limit: Limit, subject: string): Promise<void> {
      await apply(limit, subject, -1)
    },
    /** Gives all attempts back. */
    async forget(limit: Limit, subject: string): Promise<void> {
      const key = keyOf(limit, subject)
      await storage.write((tx) => tx.db.deleteFrom('attempts').where('key', '=', key).execute())
    },
    /** Deletes those whose time is over: they say no more than their absence would. */
    async purge(): Promise<void> {
      await storage.write(
        (tx) => tx.db.deleteFrom('attempts').where('full_at', '<=', clock.now()).execute(),
        { survives: 'process' },
      )
    },
  }
}
