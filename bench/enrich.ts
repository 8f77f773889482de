/**
 * CPU cost of enriching a click, including garbage collection: for recently seen agents, and for a
 * day's variety of agents, referrers, languages and networks.
 * Usage: bin/bun bench/enrich.ts [--clicks 500000] [--rounds 5]
 */
import { parseArgs } from 'node:util'
import { createEnricher } from '../src/clicks/enrich/index.ts'
import { decodeRecord, encodeRecord, RECORD_VERSION } from '../src/clicks/record.ts'
import { BROWSER_AGENTS, PROGRAM_AGENTS } from '../src/clicks/testing/agents.ts'
import { machine, median } from './lib/machine.ts'
import './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '500000' },
    rounds: { type: 'string', default: '5' },
  },
})
const clicks = Number(values.clicks)

/** Reproducible random numbers: https://prng.di.unimi.it, splitmix32. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x9e3779b9) | 0
    let z = Math.imul(state ^ (state >>> 16), 0x85ebca6b)
    z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35)
    return ((z ^ (z >>> 16)) >>> 0) / 2 ** 32
  }
}

const agents = [...BROWSER_AGENTS, ...PROGRAM_AGENTS].map(({ agent }) => agent)
const languages = ['de-DE,de;q=0.9,en;q=0.8', 'en-US,en;q=0.9', 'fr', 'zh-TW,zh;q=0.9', '']

/** Lines of a journal, so that every string is a new one, as when the journal is read. */
function lines(seed: number, varieties: { agents: number; networks: number }): string[] {
  const random = randomOf(seed)
  /** Few are frequent, and many are rare. */
  const rank = (of: number) => Math.floor(of ** random()) - 1
  return Array.from({ length: clicks }, (_, i) => {
    const agentNo = rank(varieties.agents)
    const agent = (agents[agentNo % agents.length] as string).replace(
      /(\d+)\.(\d+)/,
      (_text, major, minor) => `${major}.${Number(minor) + Math.floor(agentNo / agents.length)}`,
    )
    const networkNo = rank(varieties.networks)
    const network = `${1 + ((networkNo * 7) % 222)}.${(networkNo >> 8) % 256}.${networkNo % 256}.0`
    const referrerNo = rank(5_000)
    return encodeRecord([
      RECORD_VERSION,
      1_790_000_000_000 + i,
      2 ** 32 + 7,
      0,
      'AQIDBAUGBwgJCgsM',
      agent,
      network,
      random() < 0.5 ? '' : `https://www.site${referrerNo}.example/page/${referrerNo % 7}`,
      languages[Math.floor(random() * languages.length)] as string,
      random() < 0.2 ? { source: 'newsletter', medium: 'email', campaign: `c${rank(50)}` } : 0,
      'slug',
      0,
    ]).slice(0, -1)
  })
}

const rows: Record<string, { 'CPU µs a click': string; 'a second': number }> = {}
for (const [name, varieties] of Object.entries({
  'agents seen before': { agents: 300, networks: 5_000 },
  "a day's variety": { agents: 20_000, networks: 200_000 },
})) {
  const enricher = createEnricher({ geoipDatabase: null })
  const times: number[] = []
  for (let round = 0; round <= Number(values.rounds); round++) {
    const records = lines(round, varieties)
      .map(decodeRecord)
      .filter((record) => record !== null)
    const before = process.cpuUsage()
    for (const record of records) enricher.enrich(record)
    // The first warms up.
    const { user, system } = process.cpuUsage(before)
    if (round > 0) times.push((user + system) / records.length)
  }
  enricher.close()
  const each = median(times)
  rows[name] = { 'CPU µs a click': each.toFixed(2), 'a second': Math.round(1e6 / each) }
}
console.log(machine({}))
console.table(rows)
