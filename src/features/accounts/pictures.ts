import type { Person } from '../../http/index.ts'
import { AppError } from '../../lib/errors/index.ts'
import type { Transaction } from '../../platform/storage/index.ts'
import { personActor } from '../audit/index.ts'
import { pictureUrl } from '../users/picture.ts'
import type { AccountServiceDeps, Visit } from './context.ts'
import { recordAccount } from './security.ts'

/** More than twice the largest size at which pictures are shown. */
export const PICTURE_SIDE = 128

/** A person's picture, for people who share a workspace with them. @throws AppError NOT_FOUND */
export async function picture({ storage }: AccountServiceDeps, caller: Person, userId: string) {
  const row = await storage.read.db
    .selectFrom('pictures as p')
    .select(['p.png', 'p.digest'])
    .where('p.user_id', '=', userId)
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb('p.user_id', '=', caller.userId),
        exists(
          selectFrom('members as m')
            .innerJoin('members as o', 'o.workspace_no', 'm.workspace_no')
            .select('m.user_id')
            .where('m.user_id', '=', caller.userId)
            .whereRef('o.user_id', '=', 'p.user_id'),
        ),
      ]),
    )
    .executeTakeFirst()
  if (row === undefined) throw new AppError('NOT_FOUND')
  return row
}

/** Sets the person's picture; an equal one changes nothing. Returns its URL. */
export async function setPicture(
  { clock }: AccountServiceDeps,
  tx: Transaction,
  person: Person,
  png: string,
  { requestId }: Visit,
): Promise<string | null> {
  const digest = new Bun.CryptoHasher('sha256').update(png).digest('hex').slice(0, 16)
  if ((await digestOf(tx, person.userId)) !== digest) {
    await tx.db
      .insertInto('pictures')
      .values({ user_id: person.userId, digest, png })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ digest, png }))
      .execute()
    await record(tx, person, clock.now(), requestId, 'account.picture_changed')
  }
  return pictureUrl(person.userId, digest)
}

/** @throws AppError NOT_FOUND */
export async function removePicture(
  { clock }: AccountServiceDeps,
  tx: Transaction,
  person: Person,
  { requestId }: Visit,
): Promise<void> {
  if ((await digestOf(tx, person.userId)) === undefined) throw new AppError('NOT_FOUND')
  await tx.db.deleteFrom('pictures').where('user_id', '=', person.userId).execute()
  await record(tx, person, clock.now(), requestId, 'account.picture_removed')
}

async function digestOf(tx: Transaction, userId: string): Promise<string | undefined> {
  const query = tx.db.selectFrom('pictures').select('digest').where('user_id', '=', userId)
  return (await query.executeTakeFirst())?.digest
}

function record(
  tx: Transaction,
  person: Person,
  at: number,
  requestId: string,
  action: 'account.picture_changed' | 'account.picture_removed',
): Promise<void> {
  const about = { id: person.userId, email: person.email }
  return recordAccount(tx, personActor(person, requestId), at, action, about)
}
