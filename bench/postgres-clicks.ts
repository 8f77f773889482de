/**
 * What clicks in PostgreSQL cost: how fast a node stores them, what they take on the disk, and how
 * long each question about a year of them in one workspace takes.
 * Usage: bin/bun bench/postgres-clicks.ts [--clicks 1000000] [--links 10000] [--calls 5] [--ship 200000]
 */
import { parseArgs } from 'node:util'
import { makeNode } from '../src/clicks/testing/shared.ts'
import { openPostgres, SEQS_PER_WORKSPACE } from '../src/platform/storage/index.ts'
import { createPostgresReports } from '../src/statistics/engine/postgres/reports.ts'
import { openShipping } from '../src/statistics/engine/postgres/testing/shipper.ts'
import type { Dimension, Selection } from '../src/statistics/types.ts'
import { machine, median } from './lib/machine.ts'
import { startScaled } from './lib/scaled.ts'
import './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '1000000' },
    links: { type: 'string', default: '10000' },
    calls: { type: 'string', default: '5' },
    ship: { type: 'string', default: '200000' },
  },
})
const clicks = Number(values.clicks)
const links = Number(values.links)
const calls = Number(values.calls)
const shipped = Number(values.ship)
const DAY_MS = 86_400_000
const FIRST = Date.parse('2026-01-01T00:00:00Z')
const DAYS = 365

const scaled = await startScaled()
const { postgres, databaseUrl } = scaled
const database = new URL(databaseUrl).pathname.slice(1)
const [version] = await postgres.admin('SHOW server_version')
console.log(machine({ postgresql: String(version?.server_version) }))

/** CPU of PostgreSQL, and of this process, in seconds. */
async function ship(): Promise<void> {
  const storage = await openPostgres({ url: databaseUrl })
  const node = await makeNode(storage, 67_108_864)
  for (let at = 0; at < shipped; at += 1_000) {
    node.click(
      ...Array.from({ length: 1_000 }, (_, i) => ({
        link: 2 * SEQS_PER_WORKSPACE + 1 + (((at + i) * 7_919) % links),
        time: FIRST + at + i,
        visitor: `v${(at + i) % 50_000}`,
        bot: i % 10 === 0,
      })),
    )
  }
  const { shipping, close } = await openShipping(node.dataDir, databaseUrl)
  const own = process.cpuUsage()
  const start = performance.now()
  for (let complete = false; !complete; ) complete = (await shipping.pass()).complete
  const seconds = (performance.now() - start) / 1_000
  const { user, system } = process.cpuUsage(own)
  await close()
  await node.dispose()
  await storage.close()
  const rate = Math.round(shipped / seconds)
  const each = ((user + system) / shipped).toFixed(1)
  console.log(`stored by one node: ${rate} clicks/s, ${each} µs of its CPU a click`)
}

/** A year of clicks: few links have most, visitors come back within a day. */
async function fill(): Promise<void> {
  const name = (prefix: string, count: number, skew: number) =>
    `'${prefix}' || (power(random(), ${skew}) * ${count})::int`
  for (let at = 0; at < clicks; at += 500_000) {
    const end = Math.min(at + 500_000, clicks)
    await postgres.admin(
      `INSERT INTO clicks (link, time, n, visitor, workspace, domain, kind, qr, reason,
        country, language, referrer, referrer_path, device, browser, os, utm_source, utm_campaign)
       SELECT ${SEQS_PER_WORKSPACE}::bigint + 1 + (power(random(), 3) * ${links - 1})::int, t, i,
        hashint8extended(t / ${DAY_MS} * 1000003 + (random() * ${(clicks / DAYS) * 0.7})::int, 7),
        1, 0, CASE WHEN random() < 0.1 THEN 1 ELSE 0 END, false, NULL,
        ${name('C', 60, 2)}, ${name('l', 20, 2)}, ${name('site', 400, 3)} || '.example', '/',
        ${name('device', 3, 1)}, ${name('Browser', 8, 2)}, ${name('System', 6, 2)},
        CASE WHEN random() < 0.2 THEN ${name('source', 20, 2)} END,
        CASE WHEN random() < 0.2 THEN ${name('campaign', 50, 2)} END
       FROM (SELECT i, ${FIRST} + (i::bigint * ${DAYS * DAY_MS} / ${clicks}) AS t
        FROM generate_series(${at}, ${end - 1}) i) g`,
      database,
    )
  }
  await postgres.admin('VACUUM (FREEZE, ANALYZE) clicks', database)
  const [size] = await postgres.admin(
    `SELECT pg_relation_size('clicks') AS rows, pg_indexes_size('clicks') AS indexes`,
    database,
  )
  const bytes = (of: unknown) => (Number(of) / (clicks + shipped)).toFixed(0)
  console.log(
    `on the disk: ${bytes(size?.rows)} bytes a click, and ${bytes(size?.indexes)} of indexes`,
  )
}

if (shipped > 0) await ship()
await fill()

const storage = await openPostgres({ url: databaseUrl, poolSize: 10, statementTimeoutMs: 60_000 })
const reports = createPostgresReports(storage)
const whole: Selection = {
  workspaceNo: 1,
  linkSeq: null,
  linkSeqs: null,
  from: FIRST,
  to: FIRST + DAYS * DAY_MS,
  filters: [],
  bots: 'exclude',
  offsets: [{ from: FIRST, offsetMs: 0 }],
}
const month = { ...whole, from: whole.to - 30 * DAY_MS }
const link = { ...whole, linkSeq: SEQS_PER_WORKSPACE + 1 + Math.floor(links / 8) }
const days = (of: Selection) =>
  Array.from({ length: (of.to - of.from) / DAY_MS + 1 }, (_, i) => of.from + i * DAY_MS)
const german = { dimension: 'country' as Dimension, values: ['C1'], match: 'is' as const }
const cases: Record<string, () => Promise<unknown>> = {}
for (const [name, of] of Object.entries({ year: whole, month, link })) {
  cases[`${name}: totals`] = () => reports.series(of, [of.from, of.to])
  cases[`${name}: series of days`] = () => reports.series(of, days(of))
  for (const dimension of ['country', 'referrer', 'link'] as const) {
    cases[`${name}: top ${dimension}`] = () => reports.top(of, dimension, 10)
  }
  cases[`${name}: referrers of one country`] = () =>
    reports.top({ ...of, filters: [german] }, 'referrer', 10)
  cases[`${name}: newest clicks`] = () => reports.clicks(of, { limit: 25 })
}
for (const [name, ask] of Object.entries(cases)) {
  const times: number[] = []
  for (let call = 0; call < calls; call++) {
    const start = performance.now()
    await ask()
    times.push(performance.now() - start)
  }
  console.log(`${name}: ${median(times).toFixed(0)} ms (worst ${Math.max(...times).toFixed(0)})`)
}
await storage.close()
await scaled.dispose()
