import type { Asker } from '../audit/index.ts'
import { askerOf } from '../audit/index.ts'
import { AppError } from '../errors/index.ts'
import type { Caller, Role } from '../http/types.ts'
import type { Locale } from '../i18n/index.ts'

/** A person who changes something about the members. */
export interface MemberAsker extends Asker {
  readonly userId: string
}

/** The person who asks; a key can't. */
export function memberAskerOf(call: { caller: Caller; requestId: string }): MemberAsker {
  const { caller } = call
  if (caller.kind !== 'session') throw new AppError('FORBIDDEN')
  return { ...askerOf(call), userId: caller.userId }
}

/** What is sent to somebody who is invited. */
export interface InvitationMail {
  email: string
  role: Role
  workspace: { id: string; name: string }
  /** Who invites: an e-mail address. */
  invitedBy: string
  /** Where to accept. It holds the token. */
  url: string
  /** Milliseconds since the epoch. */
  expiresAt: number
  /** The language of whoever invites. */
  locale: Locale
}

/** Sends an invitation. False: there is no mail here, or it could not be sent. */
export type SendInvitation = (mail: InvitationMail) => Promise<boolean>
