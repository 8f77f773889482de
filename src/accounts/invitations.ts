import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Actor } from '../audit/index.ts'
import type { Mailer } from '../mail/mailer.ts'
import type { InvitationService, SendInvitation } from '../members/invitations.ts'
import type { Transaction } from '../storage/index.ts'
import type { AccountsDeps } from './accounts.ts'

const PROOF_BYTES = 12

/**
 * What is added to an invitation's token where it is sent by mail: it proves that the person who has it
 * has read the messages of that address. An address to accept at that the inviter sees has none.
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

/** Sends invitations by mail, where there is mail. */
export function createSendInvitation(deps: { mailer: Mailer; key: Uint8Array }): SendInvitation {
  const proof = createProof(deps.key)
  return ({ email, workspace, url, token, expiresAt, locale }) => {
    if (!deps.mailer.available) return false
    deps.mailer.send({
      kind: 'invitation',
      to: email,
      locale,
      url: `${url}#token=${proof.add(token)}`,
      expiresAt,
      params: { email, workspace: workspace.name },
    })
    return true
  }
}

export type Invitations = ReturnType<typeof createInvitations>

/** Invitations, as a person with a token sees them. */
export function createInvitations(
  deps: Pick<AccountsDeps, 'storage' | 'clock' | 'key'> & {
    invitations: Pick<InvitationService, 'lookup' | 'accept'>
  },
) {
  const { storage, clock, invitations } = deps
  const proof = createProof(deps.key)
  return {
    /**
     * `emailProven`: who has the token must have read that address's messages.
     * @throws AppError INVITATION_NOT_FOUND
     */
    async find(given: string) {
      const { token, proven } = proof.take(given)
      return { ...(await invitations.lookup(token)), emailProven: proven }
    },
    /**
     * Makes a person a member, and uses the invitation up.
     * @throws AppError INVITATION_NOT_FOUND, PLAN_LIMIT_REACHED, ALREADY_MEMBER
     */
    accept: (tx: Transaction, given: string, user: { id: string; email: string }, actor: Actor) =>
      invitations.accept(tx, proof.take(given).token, user, actor),
    /** Whether this address is invited anywhere. */
    async awaits(email: string): Promise<boolean> {
      const row = await storage.read.db
        .selectFrom('invitations')
        .select('id')
        .where('email_key', '=', email.toLowerCase())
        .where('expires_at', '>', clock.now())
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },
  }
}
