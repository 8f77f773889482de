import { journalDirectory } from '../../../../clicks/segments.ts'
import { readNode } from '../../../../cluster/node.ts'
import { openPostgres, type Storage, type Transaction } from '../../../../storage/index.ts'
import { plainClick } from '../../testing/plain-click.ts'
import { openPostgresShipping } from '../shipping.ts'

/** Dies as by kill -9, at the moments that matter: in a transaction, around its commit, and during it. */
function dying(storage: Storage): Storage {
  const die = () => process.kill(process.pid, 'SIGKILL')
  const moment = Math.random()
  return {
    ...storage,
    async write<T>(work: (tx: Transaction) => Promise<T>) {
      const written = storage.write(async (tx) => {
        const result = await work(tx)
        if (moment < 0.2) die()
        if (moment < 0.4) setTimeout(die, Math.random() * 3)
        return result
      })
      const result = await written
      if (moment < 0.6) die()
      return result
    },
  }
}

/** A data directory's shipping; `dies`: at its first batch, or so. */
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
