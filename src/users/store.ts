import type { Transaction } from '../storage/index.ts'

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
