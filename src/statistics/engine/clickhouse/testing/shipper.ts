import { journalDirectory } from '../../../../clicks/segments.ts'
import { readNode } from '../../../../platform/cluster/node.ts'
import { maybeDie, shipUntilDeath } from '../../testing/dying.ts'
import { plainClick } from '../../testing/plain-click.ts'
import { type ClickHouse, openClickHouse } from '../client.ts'
import { openClickHouseShipping } from '../shipping.ts'

/** Dies before an insert, while it is under way, or after it. */
function dying(clickHouse: ClickHouse): ClickHouse {
  return {
    ...clickHouse,
    async insert(...given) {
      maybeDie('before')
      const inserted = clickHouse.insert(...given)
      maybeDie('during')
      await inserted
      maybeDie('after')
    },
  }
}

/** A data directory's shipping; `dies`: see `dying.ts`. */
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

if (import.meta.main) {
  await shipUntilDeath((dataDir, url) => openShipping(dataDir, url, { dies: true }))
}
