/**
 * How fast the statistics process stores clicks: journal → enriched, numbered, in DuckDB, on one core.
 * Usage: taskset -c 0 bin/bun bench/statistics.ts [--clicks 1000000] [--visitors 200000] [--links 100000]
 */
import { mkdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createEnricher } from '../src/clicks/enrich/index.ts'
import { journalDirectory, segmentFile } from '../src/clicks/segments.ts'
import { SEQS_PER_WORKSPACE } from '../src/platform/storage/index.ts'
import { openDuckDb } from '../src/statistics/engine/duckdb/index.ts'
import { createDuckDbTarget } from '../src/statistics/engine/duckdb/shipping.ts'
import { openShipping } from '../src/statistics/engine/shared/shipping.ts'
import { journalLines } from './lib/clicks.ts'
import { machine } from './lib/machine.ts'
import { temporaryDirectory } from './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '1000000' },
    visitors: { type: 'string', default: '200000' },
    links: { type: 'string', default: '100000' },
  },
})
const clicks = Number(values.clicks)
const dir = temporaryDirectory()
const directory = journalDirectory(dir)
mkdirSync(directory, { recursive: true })
writeJournal()

const database = await openDuckDb(join(dir, 'statistics.duckdb'))
const { enrich, close } = createEnricher({ geoipDatabase: null })
const shipping = await openShipping({ ...(await createDuckDbTarget(database)), directory, enrich })
const start = performance.now()
const cpuBefore = process.cpuUsage()
let passes = 0
for (let complete = false; !complete; passes++) {
  complete = (await shipping.pass()).complete
}
const seconds = (performance.now() - start) / 1000
const cpu = process.cpuUsage(cpuBefore)
const connection = await database.connect()
await connection.run('CHECKPOINT')
const [row] = await connection.run('SELECT count(*), count(DISTINCT visitor) FROM clicks')
console.log(machine())
console.table({
  'clicks stored': Number(row?.[0]),
  visitors: Number(row?.[1]),
  passes,
  'clicks/s': Math.round(clicks / seconds),
  'CPU µs per click': ((cpu.user + cpu.system) / clicks).toFixed(2),
  'bytes per click': (statSync(database.file).size / clicks).toFixed(1),
  'RSS MB': Math.round(process.memoryUsage().rss / 1e6),
})
database.close()
close()

/** A day's clicks, in segments of some 16 MB. */
function writeJournal(): void {
  const from = Date.UTC(2026, 5, 1)
  const to = from + 80_000_000
  const firstLink = SEQS_PER_WORKSPACE + 1
  let segment = 1
  let lines: string[] = []
  let bytes = 0
  const flush = () => {
    writeFileSync(segmentFile(directory, segment++), lines.join(''))
    lines = []
    bytes = 0
  }
  const source = {
    firstLink,
    links: Number(values.links),
    from,
    to,
    clicks,
    visitors: Number(values.visitors),
  }
  for (const line of journalLines(source)) {
    lines.push(line)
    bytes += line.length
    if (bytes > 16_000_000) flush()
  }
  flush()
}
