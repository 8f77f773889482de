import { journalDirectory } from '../../../../clicks/segments.ts'
import { readNode } from '../../../../cluster/node.ts'
import { plainClick } from '../../testing/plain-click.ts'
import { type ClickHouse, openClickHouse } from '../client.ts'
import { openClickHouseShipping } from '../shipping.ts'

/** Dies as by kill -9, at the moments that matter: around an insert, and while it is under way. */
function dying(clickHouse: ClickHouse): ClickHouse {
  const die = () => process.kill(process.pid, 'SIGKILL')
  const moment = Math.random()
  return {
    ...clickHouse,
    async insert(...given) {
      if (moment < 0.1) die()
      const inserted = clickHouse.insert(...given)
      if (moment < 0.3) setTimeout(die, Math.random() * 20)
      await inserted
      if (moment < 0.6) die()
    },
  }
}

/** A data directory's shipping; `dies`: after its first batch, or so. */
export async function openShipping(dataDir: string, url: string, { dies = false } = {}) {
  const node = readNode(dataDir)
  if (node === null) throw new Error('No node')
  const open = openClickHouse(url)
  const clickHouse = dies ? dying(open) : open
  const directory = journalDirectory(dataDir)
  const shipping = await openClickHouseShipping({
    clickHouse,
    dataDir,
    directory,
    node,
    enrich: plainClick,
  })
  return {
    shipping,
    async close() {
      shipping.close()
      await clickHouse.close()
    },
  }
}
