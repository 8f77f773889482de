import { APIError, type AuthContext } from 'better-auth'
import { createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { symmetricDecrypt } from 'better-auth/crypto'
import { AppError } from '../errors/index.ts'
import { type Attempts, LIMITS } from './attempts.ts'
import type { Devices } from './cookies.ts'

const PATHS: ReadonlySet<string> = new Set([
  '/two-factor/verify-totp',
  '/two-factor/verify-backup-code',
])

/** What the guard of the second step works with. */
export interface CodeGuard {
  attempts: Attempts
  devices: Devices
  /** Called when an account has used up its wrong codes of a day. */
  locked(user: { id: string; email: string }): Promise<void>
}

/**
 * Guards the second step of signing in. Codes are counted by account, whatever the addresses; a
 * device on which the person has signed in before is counted apart, so that strangers can't lock
 * them out. A code is good once. better-auth's own lock is off: it looks first and counts later.
 */
export function guardCodes({ attempts, devices, locked }: CodeGuard) {
  const subjectOf = ({ id, email }: { id: string; email: string }, headers?: Headers) => {
    const device = headers === undefined ? null : devices.idOf(headers, email)
    return device === null ? id : `device ${device}`
  }

  return {
    before: createAuthMiddleware(async (ctx) => {
      if (!PATHS.has(ctx.path)) return
      const { internalAdapter } = ctx.context
      const cookie = ctx.context.createAuthCookie('two_factor')
      const challenge = await ctx.getSignedCookie(cookie.name, ctx.context.secret)
      if (!challenge) {
        const session = await getSessionFromCtx(ctx)
        if (session !== null) await assertReadable(ctx.context, session.user.id)
        return
      }
      const verification = await internalAdapter.findVerificationValue(challenge)
      const user = verification && (await internalAdapter.findUserById(verification.value))
      if (!user) return
      await assertReadable(ctx.context, user.id)
      const subject = subjectOf(user, ctx.headers)
      await attempts.take(LIMITS.secondFactorAccount, subject)
      if (!(await attempts.tryTake(LIMITS.secondFactorDay, subject))) {
        // Another try needs the password again; a new password lifts the lock.
        await internalAdapter.deleteVerificationByIdentifier(challenge)
        if (await attempts.tryTake(LIMITS.lockNotice, user.id)) await locked(user)
        await attempts.take(LIMITS.secondFactorDay, subject)
      }
      if (ctx.path !== '/two-factor/verify-totp') return
      const { code } = ctx.body as { code: string }
      if (await attempts.tryTake(LIMITS.codeOnce, `${user.id} ${code}`)) return
      throw new APIError('UNAUTHORIZED', { code: 'INVALID_CODE', message: '' })
    }),
    /** A code that was right costs nothing. */
    after: createAuthMiddleware(async (ctx) => {
      const user = PATHS.has(ctx.path) ? ctx.context.newSession?.user : undefined
      if (user === undefined) return
      const subject = subjectOf(user, ctx.headers)
      await attempts.refund(LIMITS.secondFactorAccount, subject)
      await attempts.refund(LIMITS.secondFactorDay, subject)
    }),
  }
}

/** After another secret of the server no code would ever be right: the person is told so. */
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
