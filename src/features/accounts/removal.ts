import type { Person } from '../../http/index.ts'
import type { Clock } from '../../lib/base/clock.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { emailKey } from '../../lib/validation/email.ts'
import type { Sql, Storage, Transaction } from '../../platform/storage/index.ts'
import { type Actor, COMMAND_LINE, personActor } from '../audit/index.ts'
import { removeMembership } from '../members/service.ts'
import { lockUsers } from '../users/service.ts'
import { userIdByEmail } from './by-email.ts'
import type { AccountServiceDeps, Visit } from './context.ts'
import { requestErasure } from './erasure.ts'
import { recordAccount } from './security.ts'
import { endVerifications } from './sessions.ts'

/**
 * Deletes a person's own account, with sessions, passkeys and second factor, API keys and open
 * invitations. {@link requestErasure} says what becomes of its address elsewhere. The address must be typed again as a confirmation.
 * @throws AppError VALIDATION_FAILED, SOLE_OWNER, INSTANCE_OWNER
 */
export async function removeOwnAccount(
  { storage, clock, mails }: AccountServiceDeps,
  person: Person,
  typed: string,
  { request, requestId }: Visit,
): Promise<void> {
  if (emailKey(typed) !== emailKey(person.email)) {
    throw invalid({ field: 'confirm_email', code: 'EMAIL_MISMATCH' })
  }
  const actor = personActor(person, requestId)
  await storage.write((tx) => remove(tx, person.userId, actor, clock.now(), false))
  mails.sendNotice('deleted', person, request)
}

/**
 * Deletes an account for the operator; `keepKeys`: the person's API keys stay. Returns the address;
 * null: there is no such person.
 * @throws AppError SOLE_OWNER, INSTANCE_OWNER
 */
export async function removePerson(
  { storage, clock }: { storage: Pick<Storage, 'read' | 'write'>; clock: Clock },
  email: string,
  keepKeys = false,
): Promise<string | null> {
  const id = await userIdByEmail(storage.read, email)
  if (id === undefined) return null
  return storage.write((tx) => remove(tx, id, COMMAND_LINE, clock.now(), keepKeys))
}

/** Null: the account was deleted already. */
async function remove(
  tx: Transaction,
  userId: string,
  actor: Actor,
  at: number,
  keepKeys: boolean,
): Promise<string | null> {
  // Until the end no one else can become a user, or the owner of the instance or of these
  // workspaces.
  await lockUsers(tx)
  const person = await tx.db
    .selectFrom('users')
    .select(['id', 'email', 'instance_owner'])
    .where('id', '=', userId)
    // New sessions and memberships of this person wait until the transaction ends.
    .$if(tx.dialect === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()
  if (person === undefined) return null
  const memberships = () =>
    tx.db
      .selectFrom('members')
      .select(['workspace_no as no', 'role', 'created_at'])
      .where('user_id', '=', userId)
      // In the same order everywhere, to avoid deadlocks.
      .orderBy('workspace_no')
      .execute()
  // Keeps other owners from leaving.
  for (const { no } of await memberships()) await tx.lockWorkspace(no)
  const workspace = await soleOwnerOf(tx, userId)
  if (workspace !== undefined) throw new AppError('SOLE_OWNER', { params: { workspace } })
  // Others would be left without an owner of the instance; the last person leaves it to be claimed.
  const others = tx.db.selectFrom('users').select('id').where('id', '<>', userId).limit(1)
  if (person.instance_owner === 1 && (await others.execute()).length > 0) {
    throw new AppError('INSTANCE_OWNER')
  }
  for (const { no, ...membership } of await memberships()) {
    const member = { user_id: userId, email: person.email, ...membership }
    await removeMembership(tx, actor, { workspaceNo: no, member, keepKeys, at })
  }
  await recordAccount(tx, actor, at, 'account.deleted', person)
  await requestErasure(tx, person, at)
  for (const table of ['sessions', 'two_factors', 'passkeys', 'accounts', 'pictures'] as const) {
    await tx.db.deleteFrom(table).where('user_id', '=', userId).execute()
  }
  await endVerifications(tx, userId)
  await tx.db.deleteFrom('users').where('id', '=', userId).execute()
  return person.email
}

/** The name of a workspace without another owner; undefined: there is none. */
async function soleOwnerOf(sql: Pick<Sql, 'db'>, userId: string): Promise<string | undefined> {
  const row = await sql.db
    .selectFrom('members as m')
    .innerJoin('workspaces as w', 'w.no', 'm.workspace_no')
    .select('w.name')
    .where('m.user_id', '=', userId)
    .where('m.role', '=', 'owner')
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('members as o')
            .select('o.user_id')
            .whereRef('o.workspace_no', '=', 'm.workspace_no')
            .where('o.role', '=', 'owner')
            .where('o.user_id', '<>', userId),
        ),
      ),
    )
    .orderBy('w.name_key')
    .limit(1)
    .executeTakeFirst()
  return row?.name
}
