import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../lib/base/clock.ts'
import { emailKey } from '../../lib/validation/email.ts'
import type { Mailer } from '../../platform/mail/mailer.ts'
import type { Storage, Transaction } from '../../platform/storage/index.ts'
import type { Actor } from '../audit/index.ts'
import type { InvitationService, SendInvitation } from '../members/invitations.ts'

const PROOF_BYTES = 12

/**
 * The suffix of an invitation's token when it is sent by email: it proves that the bearer has read
 * the messages of that address. The URL that the inviter sees doesn't have it.
 */
function createProof(key: Uint8Array) {
  const proofOf = (token: string) =>
    createHmac('sha256', key).update(`invitation mail\n${token}`).digest().subarray(0, PROOF_BYTES)

  return {
    add: (token: string) => `${token}.${proofOf(token).toString('base64url')}`,
    take(given: string): { token: string; proven: boolean } {
      const [token = '', proof] = given.split('.')
      if (proof === undefined) return { token, proven: false }
      const bytes = Buffer.from(proof, 'base64url')
      return {
        token,
        proven: bytes.length === PROOF_BYTES && timingSafeEqual(bytes, proofOf(token)),
      }
    },
  }
}

/** Sends invitations by email, if that is set up. */
export function createSendInvitation(deps: { mailer: Mailer; key: Uint8Array }): SendInvitation {
  const proof = createProof(deps.key)
  return ({ email, role, inviter, workspace, url, token, expiresAt, locale }) => {
    if (!deps.mailer.available) return false
    const who = inviter.name === null ? inviter.email : `${inviter.name} (${inviter.email})`
    deps.mailer.send({
      kind: 'invitation',
      to: email,
      locale,
      url: `${url}#token=${proof.add(token)}`,
      expiresAt,
      params: { email, workspace: workspace.name, inviter: who, role },
    })
    return true
  }
}

export type Invitations = ReturnType<typeof createInvitations>

/** Invitations, for the bearer of a token. */
export function createInvitations(deps: {
  storage: Storage
  clock: Clock
  key: Uint8Array
  invitations: Pick<InvitationService, 'lookup' | 'accept'>
}) {
  const { storage, clock, invitations } = deps
  const proof = createProof(deps.key)
  return {
    /**
     * `emailProven`: the bearer has read that address's messages. @throws AppError
     * INVITATION_NOT_FOUND
     */
    async find(given: string) {
      const { token, proven } = proof.take(given)
      return { ...(await invitations.lookup(token)), emailProven: proven }
    },
    /**
     * Makes a person a member, which uses the invitation up.
     * @throws AppError INVITATION_NOT_FOUND, PLAN_LIMIT_REACHED, ALREADY_MEMBER
     */
    accept: (tx: Transaction, given: string, user: { id: string; email: string }, actor: Actor) =>
      invitations.accept(tx, proof.take(given).token, user, actor),
    /** Whether this address has an open invitation. */
    async awaits(email: string): Promise<boolean> {
      const row = await storage.read.db
        .selectFrom('invitations')
        .select('id')
        .where('email_key', '=', emailKey(email))
        .where('expires_at', '>', clock.now())
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}
