import { timingSafeEqual } from 'node:crypto'
import type { Random } from '../base/random.ts'
import type { Sql, Storage, Transaction } from '../storage/index.ts'
import type { UserService } from '../users/index.ts'
import { instanceFact, setInstanceFact } from './store.ts'

const FACT = 'claim_token_hash'
const TOKEN_BYTES = 32

/** The door by which the very first person comes in. It exists until somebody has. */
export interface Claims {
  /** Whether there is anybody yet. */
  isClaimed(): Promise<boolean>
  /** Makes a new token, and the one before void; null: the instance is claimed. */
  open(): Promise<string | null>
  /** Whether this is the token, and nobody came in before. */
  admits(sql: Pick<Sql, 'db'>, token: string): Promise<boolean>
  /** Takes the door away, in the transaction that lets somebody in. */
  close(tx: Transaction): Promise<void>
}

/** See {@link Claims}. Only the token's SHA-256 is kept. */
export function createClaims(deps: {
  storage: Pick<Storage, 'read' | 'write'>
  random: Random
  users: Pick<UserService, 'any' | 'lock'>
}): Claims {
  const { storage, random, users } = deps
  // Asked each time: the last person may delete their account.
  const isClaimed = () => users.any(storage.read)

  return {
    isClaimed,
    async open() {
      if (await isClaimed()) return null
      const token = Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url')
      const isOpen = await storage.write(async (tx) => {
        // Whoever comes in meanwhile would leave a door that opens again after the last has gone.
        await users.lock(tx)
        if (await users.any(tx)) return false
        await setInstanceFact(tx, FACT, hashOf(token).toString('hex'))
        return true
      })
      return isOpen ? token : null
    },
    async admits(sql, token) {
      const kept = await instanceFact(sql, FACT)
      // Compared in any case, so that the time tells nothing.
      const matches = timingSafeEqual(hashOf(token), Buffer.from(kept ?? '0'.repeat(64), 'hex'))
      return matches && kept !== undefined && !(await users.any(sql))
    },
    close: (tx) => setInstanceFact(tx, FACT, null),
  }
}

/** Where whoever has the token makes the first account. */
export function claimUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/app/claim?token=${token}`
}

function hashOf(token: string): Buffer {
  return new Bun.CryptoHasher('sha256').update(token).digest()
}
