import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import { type Random, randomString } from '../base/random.ts'
import { Refused } from '../errors/index.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import { assertNotCommon, checkNewUser, hashPassword, type NewUser } from './input.ts'
import { hasUsers, insertUser, lockUsers } from './store.ts'

/** Letters and digits that aren't mistaken for each other. */
const PASSWORD_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ'
const GENERATED_LENGTH = 20

/** A person who was just made. */
export interface CreatedUser {
  id: string
  email: string
  name: string | null
  /** The password that was made for them, shown once; null when they brought their own. */
  generatedPassword: string | null
}

/** A person as a transaction puts them down; everything was checked before. */
export interface CheckedUser {
  email: string
  name: string | null
  passwordHash: string
  emailVerified: boolean
  language: string | null
}

/** People who can sign in. */
export interface UserService {
  /**
   * Makes a person; `also` does what belongs to it in the same transaction.
   * @throws Refused EMAIL_TAKEN, INVALID_EMAIL, AppError VALIDATION_FAILED, and what `also` throws
   */
  create(
    input: NewUser,
    also?: (tx: Transaction, user: { id: string; email: string }) => Promise<void>,
  ): Promise<CreatedUser>
  /** Puts a person down; their id, or null: the address is taken. The first owns the instance. */
  insert(tx: Transaction, user: CheckedUser): Promise<string | null>
  /** Until the end of the transaction nobody else becomes a user. */
  lock(tx: Transaction): Promise<void>
  /** Whether there is anybody yet. */
  any(sql: Pick<Transaction, 'db'>): Promise<boolean>
}

/** What the service works with. */
export interface UserServiceDeps {
  storage: Pick<Storage, 'write'>
  clock: Clock
  ids: Ids
  random: Random
}

/** See {@link UserService}. */
export function createUserService(deps: UserServiceDeps): UserService {
  const { storage, clock, ids, random } = deps

  async function insert(tx: Transaction, user: CheckedUser): Promise<string | null> {
    const id = ids.next('usr')
    const row = { ...user, id, accountId: ids.next('acc'), now: clock.now() }
    return (await insertUser(tx, row)) ? id : null
  }

  return {
    insert,
    lock: lockUsers,
    any: hasUsers,

    async create(input, also) {
      const { email, name } = checkNewUser(input)
      if (input.password !== undefined) await assertNotCommon('password', input.password, email)
      const generatedPassword =
        input.password === undefined
          ? randomString(random, PASSWORD_ALPHABET, GENERATED_LENGTH)
          : null
      // Slow on purpose, so before the transaction and on a thread of its own.
      const passwordHash = await hashPassword(input.password ?? (generatedPassword as string))
      return storage.write(async (tx) => {
        // The operator vouches for the address.
        const user = { email, name, passwordHash, emailVerified: true, language: null }
        const id = await insert(tx, user)
        if (id === null) {
          throw new Refused('EMAIL_TAKEN', `There is a user ${email} already`)
        }
        await also?.(tx, { id, email })
        return { id, email, name, generatedPassword }
      })
    },
  }
}
