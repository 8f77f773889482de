/**
 * Clicks of a client that keeps its own count, while processes are killed at random moments: what was
 * answered is stored, once, and links, reports and raw clicks agree.
 * Usage: bin/bun bench/kill.ts [--clicks 1000000] [--kills 20] [--links 500] [--connections 64]
 */
import { parseArgs } from 'node:util'
import { version as duckdbVersion } from '@duckdb/node-api'
import { killRun, type Victim } from '../test/harness/kill-run.ts'
import { seeded } from '../test/harness/random.ts'
import { userAgents } from './lib/clicks.ts'
import { machine } from './lib/machine.ts'
import './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '1000000' },
    kills: { type: 'string', default: '20' },
    links: { type: 'string', default: '500' },
    connections: { type: 'string', default: '64' },
  },
})

const random = seeded(7)
const agents = [
  ...userAgents(random),
  ...Array<string>(400).fill('Mozilla/5.0 (compatible; Googlebot/2.1)'),
]
const languages = ['de-DE,de;q=0.9,en;q=0.8', 'en-US,en;q=0.9', 'fr-FR,fr;q=0.9', 'pt-BR,pt;q=0.9']
const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] as string

/** Of five kills three of the server and one each of its children; shuffled. */
const victims = Array.from({ length: Number(values.kills) }, (_, i): Victim => {
  if (i % 5 === 3) return 'statistics'
  return i % 5 === 4 ? 'click-worker' : 'server'
}).sort(() => Math.random() - 0.5)

const run = await killRun({
  clicks: Number(values.clicks),
  links: Number(values.links),
  connections: Number(values.connections),
  kills: victims,
  headers() {
    const part = () => Math.floor(random() * 254) + 1
    let headers = `User-Agent: ${pick(agents)}\r\nAccept-Language: ${pick(languages)}\r\n`
    headers += `X-Forwarded-For: ${part()}.${part()}.${part()}.${part()}\r\n`
    if (random() < 0.6) {
      headers += `Referer: https://site${Math.floor(2_000 ** random())}.example.org/a/${part()}\r\n`
    }
    if (random() < 0.03) headers += 'Sec-GPC: 1\r\n'
    return headers
  },
})
console.log(machine({ duckdb: duckdbVersion() }))
console.table({
  ...run,
  loadSeconds: run.loadSeconds.toFixed(1),
  drainSeconds: run.drainSeconds.toFixed(1),
  slowestStartMs: Math.round(run.slowestStartMs),
})
const wrong =
  run.answeredMissing + run.storedTwice + run.neverSent + run.otherLink + run.countersDiffer
const disagree = run.reportsDiffer + run.totalsDiffer + run.mended
const kept = wrong === 0 && disagree === 0 && run.surplus <= run.inFlight
console.log(kept ? 'Every answered click is stored, once.' : 'NOT AS PROMISED')
process.exit(kept ? 0 : 1)
