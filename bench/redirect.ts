/**
 * CPU per redirect against nginx answering the same slugs from a map, and against the runtime's own
 * floor. "Until rest" includes counting and storing each click. Then what each feature of a link costs
 * beside a plain one, and, where asked for, whether memory grows. Takes some five minutes. How long a
 * start takes says `bench/start.ts`, what a million links cost `bench/growth.ts`, a shared database with
 * a warm and a cold memory `bench/cluster-redirect.ts`, and visits at a steady rate, alone and beside a
 * year's questions, `bench/isolation.ts --rate 5000 --only 'nothing|all clicks'`.
 *
 * All take turns in short rounds, in alternating order. Figures are medians; ratios are medians of
 * those within a round, so that a busy machine weighs on both sides of each. Stolen CPU time is
 * printed, too.
 * Usage: bin/bun bench/redirect.ts [--links 100000] [--rounds 5] [--seconds 4] [--grow 10]
 *   [--beside DIR]
 * `--grow`: millions of redirects, with the memory of the serving process after each.
 * `--beside`: another checkout, with its dependencies, that takes part in the rounds.
 */
import { Database } from 'bun:sqlite'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { databaseFiles } from '../src/platform/storage/index.ts'
import { startSlugline } from '../test/harness/process.ts'
import { redirectFeatures } from './lib/features.ts'
import { startFloor } from './lib/floor.ts'
import { cpuSeconds, family, machine, median, versionOf, watchStolen } from './lib/machine.ts'
import { startNginx } from './lib/nginx.ts'
import type { seedLinks } from './lib/seed.ts'
import { temporaryDirectory } from './lib/temporary.ts'
import { runLoad, visitorScript } from './lib/wrk.ts'

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    grow: { type: 'string', default: '0' },
    beside: { type: 'string' },
  },
})
const links = Number(values.links)
const tools = {
  nginx: versionOf('nginx', ['-v'], /nginx\/(\S+)/),
  wrk: versionOf('wrk', ['-v'], /wrk (?:debian\/)?(\S+)/),
}
const wrapper = ['taskset', '-c', '0']
const load = { connections: 64, core: 1 }
const stolen = watchStolen()
/** The executable in another checkout. */
const PROGRAM = 'bin/slugline'

/**
 * A server that answers redirects. `pid` is the serving process; its descendants are its helpers.
 */
interface Server {
  name: string
  url: string
  pid: number
  stop(): Promise<unknown>
}

interface Round {
  serving: number
  all: number
  rest: number
  perSecond: number
  p99: number
}

/** A data directory with links, made by a checkout's own program and bench. */
async function seeded(checkout: string, count: number): Promise<string> {
  const dataDir = temporaryDirectory()
  const program = join(checkout, PROGRAM)
  const first = await startSlugline({}, { dataDir, program })
  await first.createKey()
  await first.stop()
  const seed: { seedLinks: typeof seedLinks } = await import(join(checkout, 'bench/lib/seed.ts'))
  seed.seedLinks(dataDir, { workspaceNo: 1, links: count })
  return dataDir
}

function snapshot(pid: number) {
  const sum = family(pid).reduce((seconds, member) => seconds + cpuSeconds(member), 0)
  return { serving: cpuSeconds(pid), all: sum }
}

/** Resolves when all clicks are counted and stored: two seconds with almost no work. */
async function rest(pid: number): Promise<void> {
  for (let before = snapshot(pid).all; ; ) {
    await Bun.sleep(2_000)
    const now = snapshot(pid).all
    if (now - before < 0.06) return
    before = now
  }
}

async function measure({ url, pid }: Server, path?: string, isRested = false): Promise<Round> {
  const before = snapshot(pid)
  const script = visitorScript(links, path)
  const result = await runLoad({ ...load, url, script, seconds: Number(values.seconds) })
  const after = snapshot(pid)
  if (isRested) await rest(pid)
  const atRest = snapshot(pid)
  if (result.socketErrors > 0) throw new Error(`${result.socketErrors} socket errors`)
  const micros = (from: number, to: number) => ((to - from) / result.requests) * 1e6
  return {
    serving: micros(before.serving, after.serving),
    all: micros(before.all, after.all),
    rest: micros(before.all, atRest.all),
    perSecond: result.perSecond,
    p99: result.p99,
  }
}

/** Runs all in each round, alternating forwards and backwards. */
async function inTurns(takers: ReadonlyMap<string, () => Promise<Round>>) {
  const figures = new Map([...takers.keys()].map((name) => [name, [] as Round[]]))
  for (const take of takers.values()) await take()
  for (let round = 0; round < Number(values.rounds); round++) {
    const order = round % 2 === 0 ? [...takers] : [...takers].reverse()
    for (const [name, take] of order) figures.get(name)?.push(await take())
  }
  return figures
}

const of = (rounds: readonly Round[], figure: keyof Round) =>
  median(rounds.map((round) => round[figure]))

/** The ratio of a figure to that of another server, round by round. */
function times(rounds: readonly Round[], others: readonly Round[], figure: keyof Round): string {
  return median(rounds.map((one, i) => one[figure] / (others[i] as Round).serving)).toFixed(2)
}

function print(figures: ReadonlyMap<string, readonly Round[]>, reference: string): void {
  const others = figures.get(reference) as readonly Round[]
  const rows = [...figures].map(([name, rounds]) => [
    name,
    {
      'serving µs': of(rounds, 'serving').toFixed(2),
      [`× ${reference}`]: times(rounds, others, 'serving'),
      'redirects/s': Math.round(of(rounds, 'perSecond')),
      'p99 ms': of(rounds, 'p99').toFixed(2),
    },
  ])
  console.table(Object.fromEntries(rows))
}

async function memory({ url, pid }: Server): Promise<string> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const heap = Number(/^nodejs_heap_size_used_bytes\S* (\S+)/m.exec(text)?.[1])
  const status = await Bun.file(`/proc/${pid}/status`).text()
  const rss = Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1])
  return `heap ${(heap / 2 ** 20).toFixed(0)} MiB, resident ${(rss / 1024).toFixed(0)} MiB`
}

/** Visits until this many millions are answered. */
async function grow(server: Server, millions: number): Promise<void> {
  const script = visitorScript(links)
  let answered = 0
  console.log(`before: ${await memory(server)}`)
  for (let million = 1; million <= millions; million++) {
    while (answered < million * 1e6) {
      const { requests } = await runLoad({ ...load, url: server.url, script, seconds: 5 })
      answered += requests
    }
    console.log(`${million} million redirects: ${await memory(server)}`)
  }
}

const features = await redirectFeatures(links)
const dataDir = await seeded(resolve(import.meta.dir, '..'), links + features.length)
const database = new Database(databaseFiles(dataDir).main)
for (const { slug, set, special } of features) {
  database.run(`UPDATE links SET ${set} WHERE slug_key = '${slug}'`)
  database.run(`UPDATE slugs SET special = ${special} WHERE slug_key = '${slug}'`)
}
database.close()
const own = await startSlugline({ LOG_LEVEL: 'error' }, { dataDir, wrapper })

const slugline: Server = { name: 'slugline', url: own.url, pid: own.pid, stop: () => own.stop() }
const nginx = await startNginx(links, wrapper)
const servers: Server[] = [
  { ...nginx, name: 'nginx', pid: nginx.workerPid },
  { ...(await startFloor(wrapper)), name: 'floor' },
  slugline,
]
const directories = [dataDir]
if (values.beside !== undefined) {
  const checkout = resolve(values.beside)
  const directory = await seeded(checkout, links)
  const program = join(checkout, PROGRAM)
  const options = { dataDir: directory, program, wrapper }
  const { url, pid, stop } = await startSlugline({ LOG_LEVEL: 'error' }, options)
  servers.push({ name: 'beside', url, pid, stop })
  directories.push(directory)
}

console.log(machine(tools))
console.log(
  `${links} links, 64 connections, ${values.rounds} rounds of ${values.seconds} s, medians`,
)
const isOurs = ({ name }: Server) => name !== 'nginx' && name !== 'floor'
const figures = await inTurns(
  new Map(servers.map((each) => [each.name, () => measure(each, undefined, isOurs(each))])),
)
print(figures, 'nginx')
const [bare, floor] = [figures.get('nginx') as Round[], figures.get('floor') as Round[]]
for (const { name } of servers.filter(isOurs)) {
  const rounds = figures.get(name) as Round[]
  const over = median(rounds.map(({ serving }, i) => serving - (floor[i] as Round).serving))
  console.log(
    `${name}: serving process ${times(rounds, bare, 'serving')} × nginx and ` +
      `${times(rounds, floor, 'serving')} × the floor (${over.toFixed(2)} µs over it); all processes ` +
      `under load ${times(rounds, bare, 'all')} × nginx, until rest ${times(rounds, bare, 'rest')} ×`,
  )
}
const paths = [{ name: 'plain', path: '/s000000' }, ...features]
print(await inTurns(new Map(paths.map((p) => [p.name, () => measure(slugline, p.path)]))), 'plain')
if (values.grow !== '0') await grow(slugline, Number(values.grow))
console.log(`Stolen by other machines: ${stolen()}`)
for (const { stop } of servers) await stop()
