/**
 * CPU per redirect against nginx answering the same slugs from a map, in the same run, and
 * against the runtime's own floor. "Until rest" includes counting and storing each click. Then
 * what each feature of a link costs, and how long a start takes until the first redirect.
 * Usage: bin/bun bench/redirect.ts [--links 100000] [--rounds 5] [--seconds 6]
 */
import { Database } from 'bun:sqlite'
import { rmSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { databaseFiles } from '../src/storage/index.ts'
import { startSlugline } from '../test/harness/process.ts'
import { startFloor } from './lib/floor.ts'
import { cpuSeconds, family, machine, median, versionOf } from './lib/machine.ts'
import { startNginx } from './lib/nginx.ts'
import { seedLinks } from './lib/seed.ts'
import { temporaryDirectory } from './lib/temporary.ts'
import { runLoad, slugAt, visitorScript } from './lib/wrk.ts'

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '6' },
  },
})
const links = Number(values.links)
const seconds = Number(values.seconds)

const tools = {
  nginx: versionOf('nginx', ['-v'], /nginx\/(\S+)/),
  wrk: versionOf('wrk', ['-v'], /wrk (?:debian\/)?(\S+)/),
}
const dir = temporaryDirectory('slugline-bench-')
const wrapper = ['taskset', '-c', '0']

const first = await startSlugline({}, { dataDir: dir })
await first.createKey()
await first.stop()

/** Nine rules that no visit of the bench fits, and one that each does. */
const TEN_RULES = JSON.stringify(
  [
    ...['iOS', 'Android', 'macOS'].map((name) => ({ os: [{ name, min: '12' }] })),
    ...['mobile', 'tablet', 'tv'].map((device) => ({ device: [device] })),
    ...['de', 'fr', 'ja'].map((language) => ({ language: [language] })),
    {},
  ].map((when, n) => ({
    id: `r${n}`,
    when,
    then: { destination_url: `https://example.com/${n}` },
  })),
)
const SPLIT = JSON.stringify(
  ['a', 'b'].map((id) => ({ id, destination_url: `https://example.com/${id}`, weight: 50 })),
)

/** Links besides those that are drawn; `set` is SQL. Every visit asks for `path`. */
const FEATURES = [
  {
    name: 'forward_query',
    path: `/${slugAt(links)}?utm_source=bench&a=1`,
    set: 'forward_query = 1',
  },
  { name: 'max_clicks', path: `/${slugAt(links + 1)}`, set: 'max_clicks = 1000000000' },
  {
    name: 'password form',
    path: `/${slugAt(links + 2)}`,
    set: `password_hash = '${await Bun.password.hash('bench')}'`,
  },
  { name: 'ten rules', path: `/${slugAt(links + 3)}`, set: `rules = '${TEN_RULES}'` },
  { name: 'a split', path: `/${slugAt(links + 4)}`, set: `variants = '${SPLIT}'` },
]
seedLinks(dir, { workspaceNo: 1, links: links + FEATURES.length })
const database = new Database(databaseFiles(dir).main)
for (const [n, { set }] of FEATURES.entries()) {
  database.run(`UPDATE links SET ${set} WHERE slug_key = '${slugAt(links + n)}'`)
  database.run(`UPDATE slugs SET special = 1 WHERE slug_key = '${slugAt(links + n)}'`)
}
database.close()

const begun = performance.now()
const slugline = await startSlugline({ LOG_LEVEL: 'error' }, { dataDir: dir, wrapper })
await fetch(`${slugline.url}/${slugAt(links - 1)}`, { redirect: 'manual' })
const startMs = performance.now() - begun
const nginx = await startNginx(links, wrapper)
const floor = await startFloor(wrapper)
const load = { seconds, connections: 64, core: 1 }
const MISSING = '/leads-nowhere'

interface Round {
  serving: number
  all: number
  rest: number
  perSecond: number
  p99: number
}

async function measure(url: string, pid: number, path?: string): Promise<Round> {
  const script = visitorScript(links, path)
  await runLoad({ ...load, url, script, seconds: 2 })
  if (pid === slugline.pid) await rest()
  const before = snapshot(pid)
  const result = await runLoad({ ...load, url, script })
  const after = snapshot(pid)
  if (pid === slugline.pid) await rest()
  const atRest = snapshot(pid)
  if ((result.refused > 0 && path !== MISSING) || result.socketErrors > 0) {
    throw new Error(`${result.refused} refused, ${result.socketErrors} socket errors`)
  }
  return {
    serving: ((after.serving - before.serving) / result.requests) * 1e6,
    all: ((after.all - before.all) / result.requests) * 1e6,
    rest: ((atRest.all - before.all) / result.requests) * 1e6,
    perSecond: result.perSecond,
    p99: result.p99,
  }
}

/** Resolves when all clicks are counted and stored: two seconds with almost no work. */
async function rest(): Promise<void> {
  for (let before = snapshot(slugline.pid).all; ; ) {
    await Bun.sleep(2_000)
    const now = snapshot(slugline.pid).all
    if (now - before < 0.06) return
    before = now
  }
}

function snapshot(pid: number) {
  const members = family(pid)
  return {
    serving: cpuSeconds(pid),
    all: members.reduce((sum, member) => sum + cpuSeconds(member), 0),
  }
}

const ours: Round[] = []
const theirs: Round[] = []
const least: Round[] = []
for (let round = 0; round < Number(values.rounds); round++) {
  theirs.push(await measure(nginx.url, nginx.workerPid))
  least.push(await measure(floor.url, floor.pid))
  ours.push(await measure(slugline.url, slugline.pid))
}
const byFeature = new Map<string, Round>()
for (const { name, path } of [...FEATURES, { name: 'not found', path: MISSING }]) {
  byFeature.set(name, await measure(slugline.url, slugline.pid, path))
}
await slugline.stop()
await nginx.stop()
await floor.stop()
rmSync(dir, { recursive: true, force: true })

const of = (rounds: Round[], figure: keyof Round) => median(rounds.map((round) => round[figure]))
const paired = (figure: 'serving' | 'all' | 'rest') =>
  median(ours.map((round, i) => round[figure] / (theirs[i] as Round).serving))
console.log(machine(tools))
console.log(`${links} links, 64 connections, ${values.rounds} rounds of ${seconds} s, medians`)
console.table({
  nginx: row(theirs),
  floor: row(least),
  slugline: row(ours),
})
console.log(
  `CPU per redirect against nginx, pair by pair: serving process ${paired('serving').toFixed(2)} ×, ` +
    `all processes under load ${paired('all').toFixed(2)} ×, until rest ${paired('rest').toFixed(2)} ×`,
)
console.log(`Over the floor: ${(of(ours, 'serving') - of(least, 'serving')).toFixed(2)} µs`)
console.table({
  plain: row(ours),
  ...Object.fromEntries([...byFeature].map(([name, round]) => [name, row([round])])),
})
console.log(`From the start of the process to the first redirect: ${startMs.toFixed(0)} ms`)

function row(rounds: Round[]) {
  return {
    'serving µs': of(rounds, 'serving').toFixed(2),
    'all µs': of(rounds, 'all').toFixed(2),
    'until rest µs': of(rounds, 'rest').toFixed(2),
    'redirects/s': Math.round(of(rounds, 'perSecond')),
    'p99 ms': of(rounds, 'p99').toFixed(2),
  }
}
