import { journalDirectory } from '../../../../clicks/segments.ts'
import { readNode } from '../../../../platform/cluster/node.ts'
import { openPostgres, type Storage, type Transaction } from '../../../../platform/storage/index.ts'
import { maybeDie, shipUntilDeath } from '../../testing/dying.ts'
import { plainClick } from '../../testing/plain-click.ts'
import { openPostgresShipping } from '../shipping.ts'

/** Dies in a transaction, during its commit, or after it. */
function dying(storage: Storage): Storage {
  return {
    ...storage,
    async write<T>(work: (tx: Transaction) => Promise<T>) {
      const result = await storage.write(async (tx) => {
        const written = await work(tx)
        maybeDie('before')
        maybeDie('during')
        return written
      })
      maybeDie('after')
      return result
    },
  }
}

/** A data directory's shipping; `dies`: see `dying.ts`. */
export async function openShipping(dataDir: string, url: string, { dies = false } = {}) {
  const node = readNode(dataDir)
  if (node === null) throw new Error('No node')
  const opened = await openPostgres({ url, poolSize: 2 })
  const storage = dies ? dying(opened) : opened
  const directory = journalDirectory(dataDir)
  const shipping = await openPostgresShipping({
    storage,
    directory,
    nodeNo: node.no,
    enrich: plainClick,
  })
  return { shipping, close: () => opened.close() }
}

if (import.meta.main) {
  await shipUntilDeath((dataDir, url) => openShipping(dataDir, url, { dies: true }))
}
