import type { ServiceContext } from '../../http/service-context.ts'
import { type Random, randomString } from '../../lib/base/random.ts'
import { withContext } from '../../lib/base/verbs.ts'
import { OperatorError } from '../../lib/errors/index.ts'
import { emailKey } from '../../lib/validation/email.ts'
import type { Transaction } from '../../platform/storage/index.ts'
import { assertNotCommon, checkNewUser, hashPassword, type NewUser } from './input.ts'

/** Letters and digits that can't be confused with each other. */
const PASSWORD_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyzABCDEFGHJKMNPQRSTUVWXYZ'
const GENERATED_LENGTH = 20

export type UserService = ReturnType<typeof createUserService>

interface UserContext extends Omit<ServiceContext, 'cursors'> {
  random: Random
}

/** People who can sign in. */
export function createUserService(context: UserContext) {
  return withContext(context, { insert, create })
}

/** Inserts a person; returns the id, or null: the address is taken. The first owns the instance. */
async function insert(
  { clock, ids }: UserContext,
  tx: Transaction,
  user: {
    email: string
    name: string | null
    passwordHash: string
    emailVerified: boolean
    language: string | null
  },
): Promise<string | null> {
  const { email, name, passwordHash, emailVerified, language } = user
  const id = ids.next('usr')
  const now = clock.now()
  await lockUsers(tx)
  const inserted = await tx.db
    .insertInto('users')
    .values({
      id,
      email,
      email_key: emailKey(email),
      name,
      email_verified: emailVerified ? 1 : 0,
      language,
      instance_owner: (await hasUsers(tx)) ? 0 : 1,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.column('email_key').doNothing())
    .returning('id')
    .execute()
  if (inserted.length === 0) return null
  await tx.db
    .insertInto('accounts')
    .values({
      id: ids.next('acc'),
      user_id: id,
      provider_id: 'credential',
      account_id: id,
      password_hash: passwordHash,
      created_at: now,
      updated_at: now,
    })
    .execute()
  return id
}

/**
 * Creates a person, with a generated password if none is given; `also` runs in the same
 * transaction.
 * @throws OperatorError EMAIL_TAKEN, INVALID_EMAIL, AppError VALIDATION_FAILED, and what `also`
 *   throws
 */
async function create(
  context: UserContext,
  input: NewUser,
  also?: (tx: Transaction, user: { id: string; email: string }) => Promise<void>,
) {
  const { email, name } = checkNewUser(input)
  if (input.password !== undefined) await assertNotCommon('password', input.password, email)
  const password =
    input.password ?? randomString(context.random, PASSWORD_ALPHABET, GENERATED_LENGTH)
  const generatedPassword = input.password === undefined ? password : null
  // Slow on purpose, so it runs before the transaction, on another thread.
  const passwordHash = await hashPassword(password)
  return context.storage.write(async (tx) => {
    // The operator has checked the address.
    const user = { email, name, passwordHash, emailVerified: true, language: null }
    const id = await insert(context, tx, user)
    if (id === null) throw new OperatorError('EMAIL_TAKEN', `There is a user ${email} already`)
    await also?.(tx, { id, email })
    return { id, email, name, generatedPassword }
  })
}

/** Whether there is any user yet. */
export async function hasUsers(tx: Pick<Transaction, 'db'>): Promise<boolean> {
  return (await tx.db.selectFrom('users').select('id').limit(1).execute()).length > 0
}

/** Blocks creations of users until the transaction ends, so that the first one is certain. */
export async function lockUsers(tx: Transaction): Promise<void> {
  await tx.lock('users')
}

/** Whether a person exists; if so, they can't be deleted until the transaction ends. */
export async function holdUser(tx: Transaction, userId: string): Promise<boolean> {
  const user = await tx.db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    // Waits while the account is being deleted, as a foreign key would.
    .$if(tx.dialect === 'postgres', (query) => query.forKeyShare())
    .executeTakeFirst()
  return user !== undefined
}
