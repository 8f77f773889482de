import type { Transaction, UsersTable } from '../storage/index.ts'

/** False: the address is taken. */
export async function insertUser(tx: Transaction, row: UsersTable): Promise<boolean> {
  const inserted = await tx.db
    .insertInto('users')
    .values(row)
    .onConflict((conflict) => conflict.column('email_key').doNothing())
    .returning('id')
    .execute()
  return inserted.length > 0
}
