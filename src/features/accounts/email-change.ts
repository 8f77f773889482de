import type { Person } from '../../http/index.ts'
import { addressKey } from '../../lib/base/client-address.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { emailKey } from '../../lib/validation/email.ts'
import { type Actor, personActor } from '../audit/index.ts'
import { lockUsers } from '../users/service.ts'
import { LIMITS } from './attempts.ts'
import { userIdByEmail } from './by-email.ts'
import type { AccountServiceDeps, Visit } from './context.ts'
import { recordAccount } from './security.ts'
import { endVerifications } from './sessions.ts'
import { issueToken, tokenIdentifier } from './store.ts'

/**
 * Sends a link to the new address, and a notice to the old one. The token's row belongs to the
 * person, so ending their sessions invalidates it; the token contains the new address, bound by its
 * hash. For an address that has an account the response is the same, but no link is sent.
 * @throws AppError MAIL_NOT_SET_UP, VALIDATION_FAILED, RATE_LIMITED
 */
export async function requestEmailChange(
  deps: AccountServiceDeps,
  person: Person,
  email: string,
  { address, request, requestId }: Visit,
): Promise<void> {
  const { storage, attempts, mails } = deps
  if (!mails.available) throw new AppError('MAIL_NOT_SET_UP')
  if (emailKey(email) === emailKey(person.email)) {
    throw invalid({ field: 'new_email', code: 'EMAIL_UNCHANGED' })
  }
  await attempts.take(LIMITS.mailAddress, addressKey(address))
  await attempts.take(LIMITS.mailAccount, emailKey(email))
  const isFree = (await userIdByEmail(storage.read, email)) === undefined
  const token = await storage.write(async (tx) => {
    const payload = `.${Buffer.from(email).toString('base64url')}`
    const { userId } = person
    const token = await issueToken(tx, deps, { use: 'change-email', userId, payload })
    const user = { id: person.userId, email: person.email }
    const actor = personActor(person, requestId)
    const changes = { after: { email } }
    const action = 'account.email_change_requested'
    await recordAccount(tx, actor, deps.clock.now(), action, user, changes)
    return token
  })
  if (isFree) mails.sendEmailChange({ email, language: person.language }, token, request)
  mails.sendNotice('email_requested', person, request, email)
}

/** Changes the address, given the token sent to it. @throws AppError INVALID_TOKEN, RATE_LIMITED */
export async function confirmEmailChange(
  { storage, clock, attempts, mails }: AccountServiceDeps,
  token: string,
  { address, request, requestId }: Visit,
): Promise<void> {
  await attempts.take(LIMITS.tokenAddress, addressKey(address))
  const email = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()
  const old = await storage.write(async (tx) => {
    await lockUsers(tx)
    const now = clock.now()
    const row = await tx.db
      .deleteFrom('verifications')
      .where('identifier', '=', tokenIdentifier('change-email', token))
      .where('expires_at', '>', now)
      .returning('value as id')
      .executeTakeFirst()
    if (row === undefined) throw new AppError('INVALID_TOKEN')
    if ((await userIdByEmail(tx, email)) !== undefined) throw new AppError('INVALID_TOKEN')
    const { id } = row
    const found = tx.db.selectFrom('users').select(['email', 'language']).where('id', '=', id)
    const user = await found.executeTakeFirstOrThrow()
    const email_key = emailKey(email)
    await tx.db
      .updateTable('users')
      .set({ email, email_key, email_verified: 1, updated_at: now })
      .where('id', '=', id)
      .execute()
    await endVerifications(tx, id)
    const actor: Actor = { type: 'user', id, name: email, requestId }
    const changes = { before: { email: user.email }, after: { email } }
    await recordAccount(tx, actor, now, 'account.email_changed', { id, email }, changes)
    return user
  })
  mails.sendNotice('email_changed', old, request, email)
}
