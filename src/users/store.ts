import type { Transaction } from '../storage/index.ts'

/** A person to be kept, and how they sign in. */
export interface NewUserRow {
  id: string
  email: string
  name: string | null
  emailVerified: boolean
  language: string | null
  /** Of the row that holds the password. */
  accountId: string
  passwordHash: string
  now: number
}

/** Whether there is anybody yet. */
export async function hasUsers(tx: Pick<Transaction, 'db'>): Promise<boolean> {
  return (await tx.db.selectFrom('users').select('id').limit(1).execute()).length > 0
}

/** Until the end of the transaction nobody else becomes a user: who is the first is decided. */
export async function lockUsers(tx: Transaction): Promise<void> {
  await tx.lock('users')
}

/** Whether there is such a person, who then stays until the transaction ends. */
export async function holdUser(tx: Transaction, userId: string): Promise<boolean> {
  const user = await tx.db
    .selectFrom('users')
    .select('id')
    .where('id', '=', userId)
    // Waits for whoever deletes the account, as the reference to it would.
    .$if(tx.dialect === 'postgres', (query) => query.forKeyShare())
    .executeTakeFirst()
  return user !== undefined
}

/** False: the address is taken. The very first person owns the instance. */
export async function insertUser(tx: Transaction, user: NewUserRow): Promise<boolean> {
  await lockUsers(tx)
  const inserted = await tx.db
    .insertInto('users')
    .values({
      id: user.id,
      email: user.email,
      email_key: user.email.toLowerCase(),
      name: user.name,
      email_verified: user.emailVerified ? 1 : 0,
      language: user.language,
      instance_owner: (await hasUsers(tx)) ? 0 : 1,
      created_at: user.now,
      updated_at: user.now,
    })
    .onConflict((conflict) => conflict.column('email_key').doNothing())
    .returning('id')
    .execute()
  if (inserted.length === 0) return false
  await tx.db
    .insertInto('accounts')
    .values({
      id: user.accountId,
      user_id: user.id,
      provider_id: 'credential',
      account_id: user.id,
      password_hash: user.passwordHash,
      created_at: user.now,
      updated_at: user.now,
    })
    .execute()
  return true
}
