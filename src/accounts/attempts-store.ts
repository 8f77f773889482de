import type { Transaction } from '../storage/index.ts'

/** The state of one limit for one subject. */
export async function attemptState(
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
export async function putAttempt(
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

/** Deletes those that say no more than their absence would. */
export async function deleteAttempts(tx: Transaction, now: number): Promise<void> {
  await tx.db.deleteFrom('attempts').where('full_at', '<=', now).execute()
}
