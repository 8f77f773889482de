import { APIError, type AuthContext } from 'better-auth'
import { createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { symmetricDecrypt } from 'better-auth/crypto'
import { AppError } from '../errors/index.ts'
import type { Attempts } from './attempts.ts'
import { LIMITS } from './limits.ts'

const PATHS: ReadonlySet<string> = new Set([
  '/two-factor/verify-totp',
  '/two-factor/verify-backup-code',
])

/**
 * Guards the second step of signing in. Codes are counted by whom they are for, whatever the
 * addresses and however many come at once; and one that somebody looked at over a shoulder is of
 * no use a second time. better-auth's own lock is off: it looks first and counts later.
 */
export function guardCodes(attempts: Attempts) {
  return {
    before: createAuthMiddleware(async (ctx) => {
      if (!PATHS.has(ctx.path)) return
      const cookie = ctx.context.createAuthCookie('two_factor')
      const challenge = await ctx.getSignedCookie(cookie.name, ctx.context.secret)
      if (!challenge) {
        const session = await getSessionFromCtx(ctx)
        if (session !== null) await assertReadable(ctx.context, session.user.id)
        return
      }
      const verification = await ctx.context.internalAdapter.findVerificationValue(challenge)
      if (!verification) return
      const { value: userId } = verification
      await assertReadable(ctx.context, userId)
      await attempts.take(LIMITS.secondFactorAccount, userId)
      if (ctx.path !== '/two-factor/verify-totp') return
      const { code } = ctx.body as { code: string }
      if (await attempts.tryTake(LIMITS.codeOnce, `${userId} ${code}`)) return
      throw new APIError('UNAUTHORIZED', { code: 'INVALID_CODE', message: '' })
    }),
    /** A code that was right costs nothing. */
    after: createAuthMiddleware(async (ctx) => {
      const userId = PATHS.has(ctx.path) ? ctx.context.newSession?.user.id : undefined
      if (userId !== undefined) await attempts.refund(LIMITS.secondFactorAccount, userId)
    }),
  }
}

/** After another secret of the server no code would ever be right: whoever comes is told so. */
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
