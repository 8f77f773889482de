import { createHmac } from 'node:crypto'

/** Where a domain of a workspace shows that this instance serves it. */
export const PROOF_PATH = '/.well-known/slugline/domain'

/** What is served there: only this instance knows it, so no other server answers the same by chance. */
export function proofOf(key: Uint8Array, host: string): string {
  return createHmac('sha256', key).update(host).digest('base64url')
}
