/**
 * Questions of a year's statistics, asked of a server with the clicks in its own file, and of the tables
 * and queries that Plausible has for the same questions, in ClickHouse's own engine, with the same clicks.
 * Both take turns; each call asks for another range, so that no answer is kept from an earlier one.
 * Usage: bin/bun bench/plausible.ts [--clicks 10000000] [--links 20000] [--calls 15] [--data DIR] [--json]
 *   --data: keeps the clicks there for the next time; the server works on that directory
 * Needs ClickHouse's engine: `npm install --no-save` in test/harness/clickhouse.
 *
 * Tables: https://github.com/plausible/analytics, priv/data_migrations/NumericIDs/sql/create-*-v2.sql.eex
 * with priv/ingest_repo/migrations up to 2026 (columns that no question reads are left out). Queries:
 * lib/plausible/stats/sql/{expression,where_builder,query_builder}.ex, table_decider.ex,
 * current_visitors.ex there. Plausible stores no visits of programs, and a session is what a visitor does
 * with pauses below half an hour.
 */
import { Database } from 'bun:sqlite'
import { mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { databaseFiles } from '../src/platform/storage/index.ts'
import { openDuckDb } from '../src/statistics/engine/duckdb/index.ts'
import { statisticsFile } from '../src/statistics/process/index.ts'
import { type ClickHouse, startClickHouse } from '../test/harness/clickhouse.ts'
import { startSlugline } from '../test/harness/process.ts'
import { clickYearOf, DAYS, WORKSPACE } from './lib/click-year.ts'
import { machine, median, quantile, watchStolen } from './lib/machine.ts'
import './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '10000000' },
    links: { type: 'string', default: '20000' },
    calls: { type: 'string', default: '15' },
    data: { type: 'string' },
    make: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const DAY_MS = 86_400_000
const calls = Number(values.calls)

const dir = await clickYearOf(values, {
  clicks: Number(values.clicks),
  links: Number(values.links),
})

/** Plausible's. */
const TABLES = [
  `CREATE TABLE events_v2 (
    timestamp DateTime CODEC(Delta(4), LZ4),
    name LowCardinality(String),
    site_id UInt64,
    user_id UInt64,
    session_id UInt64,
    hostname String CODEC(ZSTD(3)),
    pathname String CODEC(ZSTD(3)),
    referrer String CODEC(ZSTD(3)),
    referrer_source String CODEC(ZSTD(3)),
    country_code FixedString(2),
    screen_size LowCardinality(String),
    operating_system LowCardinality(String),
    browser LowCardinality(String)
  ) ENGINE = MergeTree PARTITION BY toYYYYMM(timestamp)
  PRIMARY KEY (site_id, toDate(timestamp), name, user_id)
  ORDER BY (site_id, toDate(timestamp), name, user_id, timestamp)
  SAMPLE BY user_id SETTINGS index_granularity = 8192`,
  `CREATE TABLE sessions_v2 (
    session_id UInt64,
    sign Int8,
    site_id UInt64,
    user_id UInt64,
    hostname String CODEC(ZSTD(3)),
    timestamp DateTime CODEC(DoubleDelta, LZ4),
    start DateTime CODEC(DoubleDelta, LZ4),
    is_bounce UInt8,
    entry_page String CODEC(ZSTD(3)),
    exit_page String CODEC(ZSTD(3)),
    pageviews Int32,
    events Int32,
    duration UInt32,
    referrer String CODEC(ZSTD(3)),
    referrer_source String CODEC(ZSTD(3)),
    country_code LowCardinality(FixedString(2)),
    screen_size LowCardinality(String),
    operating_system LowCardinality(String),
    browser LowCardinality(String),
    INDEX minmax_timestamp timestamp TYPE minmax GRANULARITY 1
  ) ENGINE = VersionedCollapsingMergeTree(sign, events) PARTITION BY toYYYYMM(start)
  PRIMARY KEY (site_id, toDate(start), user_id, session_id)
  ORDER BY (site_id, toDate(start), user_id, session_id)
  SAMPLE BY user_id SETTINGS index_granularity = 8192`,
]

const log = values.json ? console.error : console.log
const clickHouse = await startClickHouse()
const newest = await fill(clickHouse)
const slugline = await startSlugline({ LOG_LEVEL: 'error' }, { dataDir: dir })
const main = new Database(databaseFiles(dir).main, { readonly: true })
const { name } = main
  .query<{ name: string }, [number]>('SELECT name FROM workspaces WHERE no = ?')
  .get(WORKSPACE) as { name: string }
main.close()
const { key } = await slugline.createKey({ workspace: name, plan: 'unlimited' })

/** Asks Slugline. Returns the answer's body. */
async function ours(path: string): Promise<string> {
  const answer = await fetch(`${slugline.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return await answer.text()
}

/** Asks ClickHouse. */
async function theirs(sql: string): Promise<string> {
  const answer = await fetch(clickHouse.url('default'), { method: 'POST', body: sql })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${sql}\n${text}`)
  return text
}

/** A range of days that ends today, or `ago` days before. */
interface Range {
  days: number
  ago: number
}
const dateOf = (back: number) => new Date(newest - back * DAY_MS).toISOString().slice(0, 10)
const between = ({ days, ago }: Range) => `from=${dateOf(ago + days - 1)}&to=${dateOf(ago)}`
const first = ({ days, ago }: Range) => `toDateTime('${dateOf(ago + days - 1)} 00:00:00', 'UTC')`
const end = ({ ago }: Range) => `toDateTime('${dateOf(ago - 1)} 00:00:00', 'UTC')`
const ofEvents = (range: Range) =>
  `site_id = 1 AND timestamp >= ${first(range)} AND timestamp < ${end(range)}`
const ofSessions = (range: Range) =>
  `site_id = 1 AND timestamp >= ${first(range)} AND start < ${end(range)}`
const VISITORS = 'toUInt64(round(uniq(user_id))) AS visitors'
const VIEWS = "toUInt64(round(countIf(name = 'pageview'))) AS pageviews"

/** A question: the path below `/api/v1`, and the query. */
interface Question {
  ours(range: Range): string
  theirs(range: Range): string
  days?: number
}

const overTime = (interval: string, time: string): Question => ({
  ours: (range) => `/stats?${between(range)}&interval=${interval}`,
  theirs: (range) => `SELECT ${time} AS dim0, ${VISITORS}, ${VIEWS} FROM events_v2
    WHERE ${ofEvents(range)} GROUP BY dim0 ORDER BY dim0`,
})
const bySession = (dimension: string, column: string, filter = ['', '']): Question => ({
  ours: (range) => `/stats/${dimension}?${between(range)}&limit=10${filter[0]}`,
  theirs: (range) => `SELECT ${column} AS dim0, ${VISITORS} FROM sessions_v2
    WHERE ${ofSessions(range)}${filter[1]} GROUP BY dim0 ORDER BY visitors DESC, dim0 LIMIT 10`,
})
const ofPages = (filter = ['', '']): Question => ({
  ours: (range) => `/stats/link?${between(range)}&limit=10${filter[0]}`,
  theirs: (range) => `SELECT pathname AS dim0, ${VISITORS}, ${VIEWS} FROM events_v2
    WHERE ${ofEvents(range)}${filter[1]} GROUP BY dim0 ORDER BY visitors DESC, dim0 LIMIT 10`,
})
const GERMANY = ['&country=DE', " AND country_code = 'DE'"]

const questions: Record<string, Question> = {
  'totals of a year': {
    ours: (range) => `/stats?${between(range)}&interval=month`,
    theirs: (range) => `SELECT ${VISITORS}, ${VIEWS} FROM events_v2 WHERE ${ofEvents(range)}`,
  },
  'a year by month': overTime('month', "toStartOfMonth(toTimeZone(timestamp, 'UTC'))"),
  'a year by day': overTime('day', "toDate(toTimeZone(timestamp, 'UTC'))"),
  'links of a year': ofPages(),
  'countries of a year': bySession('country', 'country_code'),
  'referrers of a year': bySession(
    'referrer',
    "if(empty(referrer_source), 'Direct / None', referrer_source)",
  ),
  'browsers of a year': bySession('browser', "if(empty(browser), '(not set)', browser)"),
  'links of a year, one country': ofPages(GERMANY),
  'browsers of a year, one country': bySession('browser', 'browser', GERMANY),
  '30 days by day': { ...overTime('day', "toDate(toTimeZone(timestamp, 'UTC'))"), days: 30 },
  'countries of 30 days': { ...bySession('country', 'country_code'), days: 30 },
  'the last half hour': {
    ours: () => `/stats?from=${isoOf(newest - 1_800_000)}&to=${isoOf(newest)}&interval=hour`,
    theirs: () => `SELECT uniq(user_id) FROM events_v2 WHERE site_id = 1
      AND timestamp >= toDateTime(${Math.floor((newest - 1_800_000) / 1_000)}) AND name != 'engagement'`,
  },
}

try {
  log(machine())
  const year = { days: DAYS, ago: 0 }
  const { totals } = JSON.parse(await ours(`/stats?${between(year)}`)) as {
    totals: { clicks: number }
  }
  const views = Number(
    await theirs(`SELECT count() FROM events_v2 WHERE ${ofEvents(year)} FORMAT TSV`),
  )
  if (totals.clicks === 0 || totals.clicks !== views) {
    throw new Error(`${totals.clicks} clicks here, ${views} page views there`)
  }
  log(`${values.clicks} clicks, ${values.links} links, ${calls} calls each`)
  const taken: Record<string, { ours: number[]; theirs: number[] }> = {}
  const stolen = watchStolen()
  for (let call = 0; call <= calls; call++) {
    for (const [name, question] of Object.entries(questions)) {
      const { days = DAYS - 10 } = question
      const range = { days, ago: call % 10 }
      const times = {
        ours: () => ours(question.ours(range)),
        theirs: () => theirs(question.theirs(range)),
      }
      taken[name] ??= { ours: [], theirs: [] }
      for (const side of call % 2 === 0
        ? (['ours', 'theirs'] as const)
        : (['theirs', 'ours'] as const)) {
        const start = performance.now()
        await times[side]()
        // The first one reads the files.
        if (call > 0) taken[name][side].push(performance.now() - start)
      }
    }
  }
  const results = Object.entries(taken).map(([question, { ours, theirs }]) => ({
    question,
    'ours p50': Math.round(median(ours) * 10) / 10,
    'ours p95': Math.round(quantile(ours, 0.95) * 10) / 10,
    'Plausible p50': Math.round(median(theirs) * 10) / 10,
    'Plausible p95': Math.round(quantile(theirs, 0.95) * 10) / 10,
    ratio: Math.round((100 * median(ours)) / median(theirs)) / 100,
  }))
  log(`milliseconds; stolen: ${stolen()}`)
  if (values.json) console.log(JSON.stringify(results, null, 2))
  else console.table(results)
} finally {
  await slugline.stop()
  await clickHouse.stop()
}

function isoOf(time: number): string {
  return encodeURIComponent(new Date(time).toISOString())
}

/** Makes Plausible's tables of the clicks. Returns the time of the newest click. */
async function fill({ url }: ClickHouse): Promise<number> {
  const database = await openDuckDb(statisticsFile(dir), { readonly: true })
  // The only place to which it may write.
  mkdirSync(database.temporary, { recursive: true })
  const file = resolve(database.temporary, 'clicks.parquet')
  const connection = await database.connect()
  await connection.run(`COPY (SELECT time, link, coalesce(visitor, hash(time, n)) AS visitor, country,
      referrer, referrer_path, device, browser, os FROM clicks WHERE kind = 0)
    TO '${file}' (FORMAT parquet)`)
  const [row] = await connection.run('SELECT max(time) FROM clicks')
  database.close()
  const run = async (sql: string) => {
    const answer = await fetch(url('default'), { method: 'POST', body: sql })
    if (!answer.ok) throw new Error(`${sql}\n${await answer.text()}`)
  }
  for (const table of TABLES) await run(table)
  const source = `SELECT *, toUInt64(visitor) AS user, intDiv(time, 1000) AS seconds FROM file('${file}', Parquet)`
  await run(`INSERT INTO events_v2 SELECT toDateTime(seconds), 'pageview', 1, user,
      cityHash64(user, intDiv(seconds, 1800)), 'example.com', concat('/link-', toString(link)),
      if(referrer IS NULL, '', concat(referrer, ifNull(referrer_path, ''))), ifNull(referrer, ''),
      ifNull(country, ''), ifNull(device, ''), ifNull(os, ''), ifNull(browser, '') FROM (${source})`)
  await run(`INSERT INTO sessions_v2 SELECT cityHash64(user, intDiv(seconds, 1800)) AS session, 1, 1, user,
      'example.com', toDateTime(max(seconds)), toDateTime(min(seconds)), count() = 1,
      argMin(concat('/link-', toString(link)), time), argMax(concat('/link-', toString(link)), time),
      count(), count(), max(seconds) - min(seconds),
      argMin(if(referrer IS NULL, '', concat(referrer, ifNull(referrer_path, ''))), time),
      argMin(ifNull(referrer, ''), time), any(ifNull(country, '')), any(ifNull(device, '')),
      any(ifNull(os, '')), any(ifNull(browser, '')) FROM (${source}) GROUP BY user, session`)
  rmSync(file)
  for (const table of ['events_v2', 'sessions_v2']) await run(`OPTIMIZE TABLE ${table} FINAL`)
  return Number(row?.[0])
}
