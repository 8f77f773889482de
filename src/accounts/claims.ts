import { timingSafeEqual } from 'node:crypto'
import type { Random } from '../base/random.ts'
import type { Sql, Storage, Transaction } from '../storage/index.ts'
import type { UserService } from '../users/index.ts'
import { dropInstanceFacts, instanceFacts, setInstanceFact } from './store.ts'

const FACT = 'claim_token_hash'
/** Of the one that a node has printed: its id follows. */
const NODE_FACT = `${FACT}:`
const TOKEN_BYTES = 32

/** The door by which the very first person comes in. It exists until somebody has. */
export interface Claims {
  /** Whether there is anybody yet. */
  isClaimed(): Promise<boolean>
  /**
   * Makes a new token, and the one before void; null: the instance is claimed. Of several nodes each
   * has one of its own, and any of them opens the door: nobody knows which node's log is read.
   */
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
  /** Which of several nodes this is; absent: the only one, or a command. */
  nodeId?: string | undefined
}): Claims {
  const { storage, random, users, nodeId } = deps
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
        const old = nodeId === undefined ? Object.keys(await instanceFacts(tx, FACT)) : [FACT]
        await dropInstanceFacts(tx, old)
        const name = nodeId === undefined ? FACT : NODE_FACT + nodeId
        await setInstanceFact(tx, name, hashOf(token).toString('hex'))
        return true
      })
      return isOpen ? token : null
    },
    async admits(sql, token) {
      const kept = Object.values(await instanceFacts(sql, FACT))
      // All are compared in any case, so that the time tells nothing.
      const hash = hashOf(token)
      const matches = kept.map((each) => timingSafeEqual(hash, Buffer.from(each, 'hex')))
      return matches.includes(true) && !(await users.any(sql))
    },
    async close(tx) {
      await dropInstanceFacts(tx, Object.keys(await instanceFacts(tx, FACT)))
    },
  }
}

/** Where whoever has the token makes the first account. */
export function claimUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/app/claim#token=${token}`
}

function hashOf(token: string): Buffer {
  return new Bun.CryptoHasher('sha256').update(token).digest()
}
