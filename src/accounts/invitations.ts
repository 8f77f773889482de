import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../base/clock.ts'
import { AppError } from '../errors/index.ts'
import type { Mailer } from '../mail/index.ts'
import type { InvitationService, SendInvitation } from '../members/index.ts'
import type { Storage } from '../storage/index.ts'
import { invitationWaits } from './store.ts'
import type { Invitations } from './types.ts'

const PROOF_BYTES = 12

/**
 * What is added to an invitation's token where it is sent by mail: it proves that whoever has it
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

/** Invitations, as somebody who comes with a token sees them. */
export function createInvitations(deps: {
  storage: Pick<Storage, 'read'>
  clock: Clock
  invitations: Pick<InvitationService, 'lookup' | 'accept'>
  key: Uint8Array
}): Invitations {
  const { storage, clock, invitations } = deps
  const proof = createProof(deps.key)
  return {
    async find(given) {
      const { token, proven } = proof.take(given)
      try {
        return { ...(await invitations.lookup(token)), emailProven: proven }
      } catch (error) {
        if (error instanceof AppError && error.code === 'INVITATION_NOT_FOUND') return null
        throw error
      }
    },
    accept: (tx, given, user, actor) =>
      invitations.accept(tx, proof.take(given).token, user, actor),
    awaits: (email) => invitationWaits(storage.read, email, clock.now()),
  }
}
