import type { MountedCall, Person } from '../../http/index.ts'
import type { Notice } from '../../platform/mail/message.ts'
import { personActor } from '../audit/index.ts'
import { userIdByEmail } from './by-email.ts'
import type { AccountParts } from './parts.ts'
import { type AccountAction, recordAccount } from './security.ts'
import { endVerifications } from './sessions.ts'

interface Outcome {
  action: AccountAction
  notice?: Notice
  /** Whether all earlier links and second steps become invalid. */
  revokesTokens?: true
}

const OUTCOMES: Readonly<Record<string, Outcome>> = {
  '/change-password': { action: 'account.password_changed', revokesTokens: true },
  '/revoke-sessions': { action: 'account.signed_out_everywhere', revokesTokens: true },
  '/revoke-other-sessions': { action: 'account.signed_out_everywhere', revokesTokens: true },
  '/two-factor/disable': {
    action: 'account.two_factor_disabled',
    notice: 'two_factor_off',
    revokesTokens: true,
  },
  '/two-factor/generate-backup-codes': {
    action: 'account.recovery_codes_replaced',
    notice: 'recovery_codes',
  },
  '/unlink-account': { action: 'account.sso_unlinked' },
  '/passkey/verify-registration': { action: 'account.passkey_added', notice: 'passkey_added' },
  '/passkey/delete-passkey': { action: 'account.passkey_removed', notice: 'passkey_removed' },
}

/** Paths that can open a session. */
export const SIGN_INS: ReadonlySet<string> = new Set([
  '/sign-in/email',
  '/two-factor/verify-totp',
  '/two-factor/verify-backup-code',
  '/passkey/verify-authentication',
  '/callback/oidc',
])

function outcomeOf(path: string, wasSignedIn: boolean): Outcome | undefined {
  if (!SIGN_INS.has(path)) return wasSignedIn ? OUTCOMES[path] : undefined
  if (!wasSignedIn) return { action: 'account.signed_in' }
  // A session opened by a signed-in person: the first code has confirmed the factor.
  return path === '/two-factor/verify-totp'
    ? { action: 'account.two_factor_enabled', notice: 'two_factor_on' }
    : undefined
}

/** After a success of better-auth: audit entries, notices, and a device's cookie in `headers`. */
export async function followUp(
  { storage, clock, mails, devices, ownSessions }: AccountParts,
  path: string,
  person: Person | null,
  headers: Headers,
  { request, requestId }: MountedCall,
): Promise<void> {
  const outcome = outcomeOf(path, person !== null)
  if (outcome === undefined) return
  const { action, notice, revokesTokens } = outcome
  const whose = SIGN_INS.has(path) ? await ownSessions.openedBy(headers) : person
  if (whose === null) return
  const { userId: id, email } = whose
  await storage.write(async (tx) => {
    if (revokesTokens) await endVerifications(tx, id)
    await recordAccount(tx, personActor(whose, requestId), clock.now(), action, { id, email })
  })
  if (action === 'account.signed_in') headers.append('Set-Cookie', await devices.issue(email))
  if (path === '/change-password') mails.sendPasswordChanged(whose, request)
  if (notice !== undefined) mails.sendNotice(notice, whose, request)
}

/** Records a wrong password. */
export async function recordFailure(
  { storage, clock }: AccountParts,
  email: string,
  requestId: string,
): Promise<void> {
  const id = await userIdByEmail(storage.read, email)
  if (id === undefined) return
  const actor = { type: 'user', id: null, name: email, requestId } as const
  const user = { id, email }
  await storage.write(
    (tx) => recordAccount(tx, actor, clock.now(), 'account.sign_in_failed', user),
    { survives: 'process' },
  )
}
