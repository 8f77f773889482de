import type { ClickRecord } from '../../../clicks/record.ts'
import { journalDirectory } from '../../../clicks/segments.ts'
import { visitorBits } from '../../../clicks/visitor-bits.ts'
import { readNode } from '../../../cluster/node.ts'
import type { Click } from '../../types.ts'
import { type ClickHouse, openClickHouse } from '../client.ts'
import { createShipping } from '../shipping.ts'

/** A click with as little as there is to be found out about it. */
export function plainClick([, time, linkSeq, , visitor, agent]: ClickRecord): Click {
  const isBot = agent.startsWith('curl')
  return {
    time,
    linkSeq,
    domainNo: 0,
    visitor: visitorBits(visitor),
    kind: isBot ? 'bot' : 'person',
    reason: isBot ? 'library' : null,
    trigger: 'click',
    country: 'DE',
    region: null,
    city: null,
    language: 'de',
    referrer: null,
    referrer_path: null,
    device: null,
    browser: null,
    os: null,
    utm_source: null,
    utm_medium: null,
    utm_campaign: null,
    utm_term: null,
    utm_content: null,
  }
}

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
export function openShipping(dataDir: string, url: string, { dies = false } = {}) {
  const node = readNode(dataDir)
  if (node === null) throw new Error('No node')
  const open = openClickHouse(url)
  const clickHouse = dies ? dying(open) : open
  const directory = journalDirectory(dataDir)
  const shipping = createShipping({ clickHouse, dataDir, directory, node, enrich: plainClick })
  return {
    shipping,
    async close() {
      shipping.close()
      await clickHouse.close()
    },
  }
}
