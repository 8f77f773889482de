import { timingSafeEqual } from 'node:crypto'
import type { Sql, Transaction } from '../../platform/storage/index.ts'
import { hasUsers, lockUsers } from '../users/service.ts'
import type { AccountsDeps } from './types.ts'

const FACT = 'claim_token_hash'
/** The key of the token that a node has printed, followed by the node's id. */
const NODE_FACT = `${FACT}:`
const TOKEN_BYTES = 32

/** The claim token for creating the first account, valid until used. Only its SHA-256 is stored. */
export function createClaims(deps: Pick<AccountsDeps, 'storage' | 'random' | 'nodeId'>) {
  const { storage, random, nodeId } = deps
  // Queried each time: the last person may delete their account.
  const isClaimed = () => hasUsers(storage.read)

  return {
    /** Whether there is any account. */
    isClaimed,
    /**
     * Makes a new token, which replaces the previous one; null: the instance is claimed. Each of
     * several nodes has its own, and all are valid: it is unknown which node's log is read.
     */
    async open(): Promise<string | null> {
      if (await isClaimed()) return null
      const token = Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url')
      const isOpen = await storage.write(async (tx) => {
        // A concurrent claim would leave a token that becomes valid again when the last person has
        // left.
        await lockUsers(tx)
        if (await hasUsers(tx)) return false
        if (nodeId === undefined) await dropTokens(tx)
        else await tx.db.deleteFrom('instance').where('name', '=', FACT).execute()
        const name = nodeId === undefined ? FACT : NODE_FACT + nodeId
        const value = hashOf(token).toString('hex')
        await tx.db
          .insertInto('instance')
          .values({ name, value })
          .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
          .execute()
        return true
      })
      return isOpen ? token : null
    },
    /** Whether a token is valid, and the instance isn't claimed. */
    async admits(sql: Pick<Sql, 'db'>, token: string): Promise<boolean> {
      const kept = await sql.db
        .selectFrom('instance')
        .select('value')
        .where('name', 'like', `${FACT}%`)
        .execute()
      // All are compared in any case, for constant time.
      const hash = hashOf(token)
      const matches = kept.map(({ value }) => timingSafeEqual(hash, Buffer.from(value, 'hex')))
      return matches.includes(true) && !(await hasUsers(sql))
    },
    /** Invalidates all tokens, in the transaction that creates the first account. */
    close: dropTokens,
  }
}

async function dropTokens(tx: Transaction): Promise<void> {
  await tx.db.deleteFrom('instance').where('name', 'like', `${FACT}%`).execute()
}

/** The URL for creating the first account. */
export function claimUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/app/claim#token=${token}`
}

function hashOf(token: string): Buffer {
  return new Bun.CryptoHasher('sha256').update(token).digest()
}
