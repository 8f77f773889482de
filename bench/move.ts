/**
 * Moves an instance that runs to PostgreSQL, killed twice on the way, and once more after it has
 * stopped; holds both sides against each other, and the rate against the reference: what PostgreSQL
 * itself takes to write the same rows once more, indexes included.
 * Usage: bin/bun bench/move.ts [--links 100000] [--clicks 1000000] [--clickhouse] [--data DIR]
 *   --data: a data directory to move a copy of, instead of making links and clicks
 */
import { cpSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { startClickHouse } from '../test/harness/clickhouse.ts'
import { startSlugline } from '../test/harness/process.ts'
import { makeClickYear } from './lib/click-year.ts'
import { machine } from './lib/machine.ts'
import { startScaled } from './lib/scaled.ts'
import { temporaryDirectory } from './lib/temporary.ts'

interface Outcome {
  complete: boolean
  source_was_running: boolean
  tables: { table: string; copied: number; source: Side; target: Side }[]
}
interface Side {
  rows: number
  checksum: string
}

const SLUGLINE = resolve(import.meta.dir, '../bin/slugline')
const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '100000' },
    clicks: { type: 'string', default: '1000000' },
    clickhouse: { type: 'boolean', default: false },
    data: { type: 'string' },
    kills: { type: 'string', default: '2' },
  },
})
const dataDir = temporaryDirectory()
if (values.data === undefined) {
  await makeClickYear(dataDir, { links: Number(values.links), clicks: Number(values.clicks) })
} else {
  cpSync(values.data, dataDir, { recursive: true })
}
const scaled = await startScaled()
const clickHouse = values.clickhouse ? await startClickHouse() : null
const to = await scaled.postgres.createDatabase({ empty: true })
const database = new URL(to).pathname.slice(1)
const slugline = await startSlugline({ LOG_LEVEL: 'error' }, { dataDir })

/** A call of the command; killed at a random moment within `killedWithin`. */
async function move(killedWithin?: number) {
  const args = ['move', '--to', to, '--json']
  if (clickHouse !== null) args.push('--clickhouse', clickHouse.url('moved'))
  const start = performance.now()
  const before = serverCpu()
  const child = Bun.spawn([SLUGLINE, ...args], {
    env: { PATH: process.env.PATH ?? '', SLUGLINE_DATA_DIR: dataDir },
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const timer =
    killedWithin === undefined
      ? undefined
      : setTimeout(() => child.kill('SIGKILL'), killedWithin * (0.2 + 0.8 * Math.random()))
  const text = await new Response(child.stdout).text()
  await child.exited
  clearTimeout(timer)
  const ended = performance.now()
  // The server's side ends a moment later.
  await Bun.sleep(300)
  return {
    seconds: (ended - start) / 1_000,
    cpu: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6,
    serverCpu: serverCpu() - before,
    outcome: text === '' ? null : (JSON.parse(text) as Outcome),
  }
}

/** CPU of PostgreSQL's closed connections, in seconds (proc(5): cutime and cstime). */
function serverCpu(): number {
  const pid = readFileSync(join(scaled.postgres.data, 'postmaster.pid'), 'utf8').split('\n')[0]
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[13]) + Number(fields[14])) / 100
}

const rowsOf = ({ tables }: Outcome) => tables.reduce((sum, { source }) => sum + source.rows, 0)
const copiedOf = ({ tables }: Outcome) => tables.reduce((sum, { copied }) => sum + copied, 0)

console.log(machine())
// A third of the duration of a whole move, so that it is killed in time.
const killedWithinMs = (5 * Number(values.links) + Number(values.clicks)) / 75
let spent = 0
for (let kill = 1; kill <= Number(values.kills); kill++) {
  const { seconds, outcome } = await move(kill * killedWithinMs)
  spent += seconds
  console.log(
    `call ${kill}: ${outcome === null ? 'killed' : 'at its end'} after ${seconds.toFixed(1)} s`,
  )
}
const running = await move()
spent += running.seconds
await slugline.stop()
const stopped = await move()
for (const [name, { seconds, cpu, serverCpu, outcome }] of Object.entries({ running, stopped })) {
  if (outcome === null) throw new Error(`The move of the ${name} instance failed`)
  console.log(
    `${name}: ${outcome.complete ? 'complete, checksums equal' : 'NOT COMPLETE'}; ${copiedOf(outcome)} of ` +
      `${rowsOf(outcome)} rows copied in ${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of CPU ` +
      `of the command and ${serverCpu.toFixed(1)} s of PostgreSQL`,
  )
}
const last = stopped.outcome as Outcome
console.table(
  Object.fromEntries(
    last.tables
      .filter(({ source }) => source.rows > 0)
      .map(({ table, source, target }) => [
        table,
        { rows: source.rows, checksum: source.checksum, there: target.checksum },
      ]),
  ),
)

const REFERENCE = ['links', 'slugs', 'link_tags', 'link_counters', 'clicks']
const start = performance.now()
let written = 0
for (const table of REFERENCE) {
  await scaled.postgres.admin(`CREATE TABLE again (LIKE ${table} INCLUDING ALL)`, database)
  await scaled.postgres.admin(`INSERT INTO again SELECT * FROM ${table}`, database)
  const [row] = await scaled.postgres.admin('SELECT count(*)::int AS rows FROM again', database)
  written += Number(row?.rows)
  await scaled.postgres.admin('DROP TABLE again', database)
}
const reference = written / ((performance.now() - start) / 1_000)
const rate = rowsOf(last) / spent
console.log(
  `rate: ${Math.round(rate)} rows/s over ${spent.toFixed(1)} s, what the kills cost included; ` +
    `reference: ${Math.round(reference)} rows/s; ratio ${(rate / reference).toFixed(2)}`,
)
await slugline.dispose()
await clickHouse?.stop()
await scaled.dispose()
