import { APIError, type AuthContext } from 'better-auth'
import { createAuthMiddleware, getSessionFromCtx, isAPIError } from 'better-auth/api'
import { symmetricDecrypt } from 'better-auth/crypto'
import { AppError } from '../../lib/errors/index.ts'
import { LIMITS } from './attempts.ts'
import type { AccountParts } from './parts.ts'
import { recordAlone } from './security.ts'

const TOTP = '/two-factor/verify-totp'
const PATHS: ReadonlySet<string> = new Set([TOTP, '/two-factor/verify-backup-code'])
/** better-auth's codes for a wrong code. */
const WRONG: ReadonlySet<string> = new Set(['INVALID_CODE', 'INVALID_BACKUP_CODE'])

/** The person who enters a code. */
interface CodeUser {
  id: string
  email: string
}

type CodeParts = Pick<AccountParts, 'attempts' | 'devices'>

/** The key that codes are counted by: the device, if the person has signed in on it before. */
async function subjectOf({ devices }: CodeParts, { id, email }: CodeUser, headers?: Headers) {
  const device = headers === undefined ? null : await devices.idOf(headers, email)
  return device === null ? id : `device ${device}`
}

/** Unlocks a person's codes, for all addresses and on the request's device. */
export async function unlockCodes(
  parts: CodeParts,
  user: CodeUser,
  headers?: Headers,
): Promise<void> {
  for (const subject of new Set([user.id, await subjectOf(parts, user, headers)])) {
    await parts.attempts.forget(LIMITS.secondFactorDay, subject)
  }
}

/**
 * Guards the second step of signing in. Codes are counted by account, whatever the address; a
 * device on which the person has signed in before is counted separately, so that strangers can't
 * lock them out. A code works once. Recovery codes are too long to guess, so the daily lock doesn't
 * apply to them. better-auth's own lock is off: it checks first and counts later, which races.
 */
export function guardCodes(parts: AccountParts) {
  const { attempts, mails } = parts
  const wrong = (user: CodeUser) => recordAlone(parts, 'account.second_factor_failed', user, null)

  return {
    before: createAuthMiddleware(async (ctx) => {
      if (!PATHS.has(ctx.path)) return
      const { internalAdapter } = ctx.context
      const challenge = await challengeOf(ctx)
      if (!challenge) {
        const session = await getSessionFromCtx(ctx)
        if (session !== null) await assertReadable(ctx.context, session.user.id)
        return
      }
      const user = await challengedUser(ctx, challenge)
      if (!user) return
      await assertReadable(ctx.context, user.id)
      const subject = await subjectOf(parts, user, ctx.headers)
      await attempts.take(LIMITS.secondFactorAccount, subject)
      if (ctx.path !== TOTP) return
      if (!(await attempts.tryTake(LIMITS.secondFactorDay, subject))) {
        // Another attempt needs the password again; a new password unlocks.
        await internalAdapter.deleteVerificationByIdentifier(challenge)
        if (await attempts.tryTake(LIMITS.lockNotice, user.id)) {
          await recordAlone(parts, 'account.codes_locked', user, null)
          mails.sendNotice('codes_locked', user)
        }
        await attempts.take(LIMITS.secondFactorDay, subject)
      }
      const { code } = ctx.body as { code: string }
      if (await attempts.tryTake(LIMITS.codeOnce, `${user.id} ${code}`)) return
      await wrong(user)
      throw new APIError('UNAUTHORIZED', { code: 'INVALID_CODE', message: '' })
    }),
    after: createAuthMiddleware(async (ctx) => {
      if (!PATHS.has(ctx.path)) return
      const { newSession, returned } = ctx.context
      if (newSession) {
        // A correct code is refunded.
        const subject = await subjectOf(parts, newSession.user, ctx.headers)
        await attempts.refund(LIMITS.secondFactorAccount, subject)
        if (ctx.path === TOTP) await attempts.refund(LIMITS.secondFactorDay, subject)
        return
      }
      if (!isAPIError(returned) || !WRONG.has(String(returned.body?.code))) return
      const challenge = await challengeOf(ctx)
      const user = challenge && (await challengedUser(ctx, challenge))
      if (user) await wrong(user)
    }),
  }
}

type HookContext = Parameters<Parameters<typeof createAuthMiddleware>[0]>[0]

/** The second step that a browser has begun: the name of its row. */
function challengeOf(ctx: HookContext) {
  const cookie = ctx.context.createAuthCookie('two_factor')
  return ctx.getSignedCookie(cookie.name, ctx.context.secret)
}

async function challengedUser({ context }: HookContext, challenge: string) {
  const { internalAdapter } = context
  const verification = await internalAdapter.findVerificationValue(challenge)
  return verification && internalAdapter.findUserById(verification.value)
}

/** Fails with an error of its own if the secret was encrypted with another server secret. */
async function assertReadable(
  { adapter, secretConfig: key }: Pick<AuthContext, 'adapter' | 'secretConfig'>,
  userId: string,
): Promise<void> {
  const where = [{ field: 'userId', value: userId }]
  const factor = await adapter.findOne<{ secret: string }>({ model: 'twoFactor', where })
  if (factor === null) return
  try {
    await symmetricDecrypt({ key, data: factor.secret })
  } catch (cause) {
    throw new AppError('SECOND_FACTOR_UNREADABLE', { cause })
  }
}
