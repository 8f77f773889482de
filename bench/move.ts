/**
 * Moves an instance that runs to PostgreSQL, killed on the way if wanted, and once more after new
 * clicks and its end, which is the downtime; holds both sides against each other, and the rate
 * against the reference: what PostgreSQL itself takes to write the same rows once more, indexes
 * included.
 * Usage: bin/bun bench/move.ts [--links 100000] [--clicks 1000000] [--new 10000] [--kills 0]
 *   [--clickhouse] [--data DIR]
 *   --data: a data directory to move a copy of, instead of making links and clicks
 */
import { Database } from 'bun:sqlite'
import { cpSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { databaseFiles } from '../src/platform/storage/index.ts'
import { startClickHouse } from '../test/harness/clickhouse.ts'
import { eventually } from '../test/harness/eventually.ts'
import { startSlugline } from '../test/harness/process.ts'
import { makeClickYear } from './lib/click-year.ts'
import { machine } from './lib/machine.ts'
import { startScaled } from './lib/scaled.ts'
import { temporaryDirectory } from './lib/temporary.ts'
import { slugAt } from './lib/wrk.ts'

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
    new: { type: 'string', default: '10000' },
    kills: { type: 'string', default: '0' },
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
// Otherwise the first clicks would make them, all at once between the two moves.
await visit(1)
await eventually('every link has its counters', () => countersMade() || undefined, 300_000)

/** Whether each link has a row of counters. */
function countersMade(): boolean {
  const { main, counters } = databaseFiles(dataDir)
  const count = (file: string, table: string) => {
    const database = new Database(file, { readonly: true })
    const rows = database.query(`SELECT count(*) FROM ${table}`).values()
    database.close()
    return Number(rows[0]?.[0])
  }
  return count(counters, 'link_counters') >= count(main, 'links')
}

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

/** Visits links, all over the table, a hundred at a time. */
async function visit(clicks: number): Promise<void> {
  for (let n = 0; n < clicks; n += 100) {
    await Promise.all(
      Array.from({ length: Math.min(100, clicks - n) }, (_, i) =>
        fetch(`${slugline.url}/${slugAt(((n + i) * 7919) % Number(values.links))}`, {
          redirect: 'manual',
        }),
      ),
    )
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
await visit(Number(values.new))
await slugline.stop()
const stopped = await move()
console.log(`downtime after ${values.new} new clicks: ${stopped.seconds.toFixed(1)} s`)
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
