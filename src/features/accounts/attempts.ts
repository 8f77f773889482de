import { createHmac } from 'node:crypto'
import { assertAllowed } from '../../http/index.ts'
import { type Decision, decide, type Policy } from '../../platform/limits/index.ts'
import type { Transaction } from '../../platform/storage/index.ts'
import type { AccountsDeps } from './types.ts'

/** Rows purged per transaction, so that no write waits long: strangers' requests make them. */
const PURGE_STEP = 500

/** A limit: its name and its rate. */
export interface Limit {
  /** Separates its keys from those of other limits. */
  readonly name: string
  readonly policy: Policy
}

/**
 * Limits of everything that could be guessed: by address (IPv6: /64), and by account, whatever the
 * address. A correct password refunds the account's attempt.
 */
export const LIMITS = {
  signInAddress: { name: 'sign-in address', policy: { ratePerMinute: 10, burst: 20 } },
  signInAccount: { name: 'sign-in account', policy: { ratePerMinute: 1, burst: 10 } },
  signUpAddress: { name: 'sign-up address', policy: { ratePerMinute: 2, burst: 10 } },
  /** The password of a person who is signed in. */
  passwordPerson: { name: 'password person', policy: { ratePerMinute: 1, burst: 10 } },
  /** Messages to one address: five, then one every five minutes. */
  mailAccount: { name: 'mail account', policy: { ratePerMinute: 0.2, burst: 5 } },
  mailAddress: { name: 'mail address', policy: { ratePerMinute: 2, burst: 10 } },
  tokenAddress: { name: 'token address', policy: { ratePerMinute: 10, burst: 20 } },
  secondFactorAddress: { name: 'second factor', policy: { ratePerMinute: 10, burst: 20 } },
  /** Codes for one account: ten, then one every two minutes. */
  secondFactorAccount: { name: 'second factor account', policy: { ratePerMinute: 0.5, burst: 10 } },
  /** Wrong codes for one account: twenty, then twenty a day. A correct one is refunded. */
  secondFactorDay: { name: 'second factor day', policy: { ratePerMinute: 20 / 1_440, burst: 20 } },
  /** The message that codes are locked. */
  lockNotice: { name: 'lock notice', policy: { ratePerMinute: 1 / 1_440, burst: 1 } },
  passkeyAddress: { name: 'passkey address', policy: { ratePerMinute: 20, burst: 40 } },
  oidcAddress: { name: 'oidc address', policy: { ratePerMinute: 10, burst: 20 } },
  claimAddress: { name: 'claim address', policy: { ratePerMinute: 5, burst: 10 } },
  workspacePerson: { name: 'workspace person', policy: { ratePerMinute: 1, burst: 10 } },
  /** Exports of what is stored about a person. */
  dataPerson: { name: 'data person', policy: { ratePerMinute: 1, burst: 5 } },
  /** A code of an authenticator works once (RFC 6238 §5.2). */
  codeOnce: { name: 'code once', policy: { ratePerMinute: 1 / 3, burst: 1 } },
} as const satisfies Record<string, Limit>

/**
 * Counts attempts to sign in and the like exactly: in the database, by its single writer, so that
 * neither concurrency nor a restart nor a second process allows more. If they can't be counted they
 * are refused.
 */
export function createAttempts(deps: Pick<AccountsDeps, 'storage' | 'clock' | 'key'>) {
  const { storage, clock, key } = deps
  // The table contains only keyed hashes of addresses and accounts.
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
    /** Takes one attempt; false: none is left. */
    async tryTake(limit: Limit, subject: string): Promise<boolean> {
      return (await apply(limit, subject, 1)).allowed
    },
    /** Refunds a legitimate attempt. */
    async refund(limit: Limit, subject: string): Promise<void> {
      await apply(limit, subject, -1)
    },
    /** Refunds all attempts. */
    async forget(limit: Limit, subject: string): Promise<void> {
      const key = keyOf(limit, subject)
      await storage.write((tx) => tx.db.deleteFrom('attempts').where('key', '=', key).execute())
    },
    /** Deletes expired rows, which are equivalent to none. */
    async purge(): Promise<void> {
      const some = ({ db }: Transaction) =>
        db
          .deleteFrom('attempts')
          .where('key', 'in', ({ selectFrom }) =>
            selectFrom('attempts')
              .select('key')
              .where('full_at', '<=', clock.now())
              .limit(PURGE_STEP),
          )
          .executeTakeFirst()
      for (;;) {
        const { numDeletedRows } = await storage.write(some, { survives: 'process' })
        if (numDeletedRows < PURGE_STEP) return
      }
    },
  }
}
