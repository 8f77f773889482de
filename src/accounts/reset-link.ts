import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Random } from '../base/random.ts'
import type { Storage } from '../storage/index.ts'
import { LINK_SECONDS } from './site.ts'
import { insertVerification, userIdByEmail } from './store.ts'

const TOKEN_BYTES = 24

/** What it works with. */
export interface ResetLinkInput {
  storage: Pick<Storage, 'write'>
  clock: Clock
  ids: Ids
  random: Random
  baseUrl: string
  email: string
}

/**
 * The address at which somebody can choose a new password, once, within an hour; null: there is no
 * such person. better-auth takes it as one of its own: it looks tokens up by their SHA-256.
 */
export async function createResetLink(
  input: ResetLinkInput,
): Promise<{ url: string | null; expiresAt: number }> {
  const { storage, clock, ids, random, baseUrl, email } = input
  const now = clock.now()
  const expiresAt = now + LINK_SECONDS * 1000
  const token = Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url')
  const made = await storage.write(async (tx) => {
    const userId = await userIdByEmail(tx, email.trim())
    if (userId === undefined) return false
    await insertVerification(tx, {
      id: ids.next('ver'),
      identifier: identifierOf(`reset-password:${token}`),
      value: userId,
      created_at: now,
      updated_at: now,
      expires_at: expiresAt,
    })
    return true
  })
  return { url: made ? `${baseUrl}/app/reset-password?token=${token}` : null, expiresAt }
}

/** As better-auth stores identifiers with `storeIdentifier: 'hashed'`. */
function identifierOf(name: string): string {
  return new Bun.CryptoHasher('sha256').update(name).digest('base64url')
}
