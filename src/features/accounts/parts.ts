import { createHmac } from 'node:crypto'
import { createAttempts } from './attempts.ts'
import { createClaims } from './claims.ts'
import { createDevices, createSessionCookie } from './cookies.ts'
import { createAccountMails } from './mails.ts'
import { createOwnSessions, createSessions } from './sessions.ts'
import type { AccountsDeps } from './types.ts'

/** What the modules of the accounts share. */
export type AccountParts = ReturnType<typeof createParts>

export function createParts(deps: AccountsDeps) {
  const { storage, clock, plans, baseUrl, key } = deps
  const secret = createHmac('sha256', key).update('better-auth').digest('base64url')
  const attemptsKey = createHmac('sha256', key).update('attempts').digest()
  const cookie = createSessionCookie(baseUrl, secret)
  return {
    ...deps,
    /** Signs cookies and encrypts second factors. */
    secret,
    claims: createClaims(deps),
    attempts: createAttempts({ storage, clock, key: attemptsKey }),
    mails: createAccountMails(deps),
    devices: createDevices(deps),
    sessions: createSessions({ storage, clock, plans, cookie }),
    ownSessions: createOwnSessions({ storage, clock, cookie }),
  }
}
