import { timingSafeEqual } from 'node:crypto'
import type { Sql, Transaction } from '../storage/index.ts'
import { hasUsers, lockUsers } from '../users/service.ts'
import type { AccountsDeps } from './accounts.ts'

const FACT = 'claim_token_hash'
/** Of the one that a node has printed: its id follows. */
const NODE_FACT = `${FACT}:`
const TOKEN_BYTES = 32

/**
 * How the very first person gets in: by a token, until one was used. Only its SHA-256 is
 * stored.
 */
export function createClaims(deps: Pick<AccountsDeps, 'storage' | 'random' | 'nodeId'>) {
  const { storage, random, nodeId } = deps
  // Asked each time: the last person may delete their account.
  const isClaimed = () => hasUsers(storage.read)

  return {
    /** Whether there is anybody yet. */
    isClaimed,
    /**
     * Makes a new token, and the one before void; null: the instance is claimed. Of several nodes
     * each has its own, and any of them is valid: it isn't known which node's log is read.
     */
    async open(): Promise<string | null> {
      if (await isClaimed()) return null
      const token = Buffer.from(random.bytes(TOKEN_BYTES)).toString('base64url')
      const isOpen = await storage.write(async (tx) => {
        // A claim meanwhile would leave a token that is valid again after the last person has gone.
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
    /** Whether this is a valid token, and the instance isn't claimed. */
    async admits(sql: Pick<Sql, 'db'>, token: string): Promise<boolean> {
      const kept = await sql.db
        .selectFrom('instance')
        .select('value')
        .where('name', 'like', `${FACT}%`)
        .execute()
      // All are compared in any case, so that the time tells nothing.
      const hash = hashOf(token)
      const matches = kept.map(({ value }) => timingSafeEqual(hash, Buffer.from(value, 'hex')))
      return matches.includes(true) && !(await hasUsers(sql))
    },
    /** Voids all tokens, in the transaction that makes the first account. */
    close: dropTokens,
  }
}

async function dropTokens(tx: Transaction): Promise<void> {
  await tx.db.deleteFrom('instance').where('name', 'like', `${FACT}%`).execute()
}

/** Where the owner of the token makes the first account. */
export function claimUrl(baseUrl: string, token: string): string {
  return `${baseUrl}/app/claim#token=${token}`
}

function hashOf(token: string): Buffer {
  return new Bun.CryptoHasher('sha256').update(token).digest()
}
