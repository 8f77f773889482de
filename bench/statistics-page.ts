/**
 * How long a person waits for the page of statistics, over a year of clicks: until the chart is there,
 * and until the last answer is, for one person and for two at the same time. In Chromium, and by HTTP with the
 * requests that the page in Chromium has made.
 * Usage: bin/bun bench/statistics-page.ts [--clicks 10000000] [--links 20000] [--rounds 5]
 *        [--store embedded|postgres|clickhouse] [--data DIR] [--server PROGRAM] [--json]
 *   --data: keeps the instance with the clicks there for the next time; other stores get a copy
 * The dashboard is the one that was built last: `bin/bun scripts/build-web.ts --if-needed` before.
 *   --server: measures another executable, such as `bin/slugline` of an older checkout
 */
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser } from 'playwright-core'
import { statisticsFile } from '../src/statistics/process/index.ts'
import { launchChromium } from '../test/browser/chromium.ts'
import { startClickHouse } from '../test/harness/clickhouse.ts'
import { freePort } from '../test/harness/free-port.ts'
import { runCommand, SLUGLINE, type Slugline, startSlugline } from '../test/harness/process.ts'
import { makeClickYear } from './lib/click-year.ts'
import { machine, median } from './lib/machine.ts'
import { startScaled } from './lib/scaled.ts'
import { temporaryDirectory } from './lib/temporary.ts'
import { slugAt } from './lib/wrk.ts'

const { values } = parseArgs({
  options: {
    clicks: { type: 'string', default: '10000000' },
    links: { type: 'string', default: '20000' },
    rounds: { type: 'string', default: '5' },
    store: { type: 'string', default: 'embedded' },
    data: { type: 'string' },
    server: { type: 'string' },
    make: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
const clicks = Number(values.clicks)
const rounds = Number(values.rounds)
const program = values.server === undefined ? SLUGLINE : resolve(values.server)
const OWNER = { email: 'ada@example.com', password: 'the engine weaves patterns' }
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu']
const SCOPES = {
  '30 days': 'range=30d',
  '12 months': 'range=12m',
  'one filter': 'range=12m&filter=country%3ADE',
}
/** As many as a browser has to one host. */
const CONNECTIONS = 6
/** Sums of days are complete when there were no more for so long. */
const SETTLED_MS = 15_000
const GIVEN_UP_MS = 120_000
/** An older server makes none. */
const SUMMED_WITHIN_MS = 600_000

if (values.make !== undefined) {
  await makeClickYear(values.make, { clicks, links: Number(values.links) })
  process.exit()
}

const port = String(await freePort())
const url = `http://localhost:${port}`
const env = { PORT: port, BASE_URL: url, LOG_LEVEL: 'error' }
const own = values.data ?? join(temporaryDirectory(), 'data')
if (!existsSync(statisticsFile(own))) await seed()
const { slugline, dispose } = await start()
const browser = await launchChromium()

/** Milliseconds of one opening; `paths`: what the page has requested. */
interface Opened {
  chart: number
  last: number
  errors: number
  paths: string[]
}

const results: Record<string, string | number>[] = []
let workspace = ''
try {
  const log = values.json ? console.error : console.log
  log(machine({ chromium: browser.version() }))
  log(`${clicks} clicks, ${values.links} links, ${values.store}, ${rounds} rounds`)
  const state = await signIn(browser)
  for (const zone of ZONES) {
    for (const [scope, search] of Object.entries(SCOPES)) {
      const path = `/app/statistics?${search}&zone=${encodeURIComponent(zone)}`
      // The first one reads the files.
      const { paths } = await openPage(path)
      for (const people of [1, 2]) {
        const ways = {
          Chromium: () => openPage(path),
          HTTP: () => request(paths),
        }
        for (const [way, open] of Object.entries(ways)) {
          const opened: Opened[] = []
          for (let round = 0; round < rounds; round++) {
            opened.push(...(await Promise.all(Array.from({ length: people }, open))))
          }
          const of = (name: 'chart' | 'last') => opened.map((it) => it[name])
          results.push({
            zone,
            scope,
            people,
            way,
            requests: paths.length,
            'chart p50': Math.round(median(of('chart'))),
            'chart worst': Math.round(Math.max(...of('chart'))),
            'last p50': Math.round(median(of('last'))),
            'last worst': Math.round(Math.max(...of('last'))),
            errors: opened.reduce((sum, { errors }) => sum + errors, 0),
          })
          log(Object.values(results.at(-1) ?? {}).join('  '))
        }
      }
    }
  }
  if (values.json) console.log(JSON.stringify({ clicks, store: values.store, results }, null, 2))
  else console.table(results)

  /** Opens the page with nothing cached. */
  async function openPage(path: string): Promise<Opened> {
    const context = await browser.newContext({
      baseURL: url,
      storageState: state,
      viewport: { width: 1280, height: 4_000 },
    })
    const page = await context.newPage()
    const opened: Opened = { chart: 0, last: 0, errors: 0, paths: [] }
    let open = 0
    let quiet = Promise.withResolvers<void>()
    const isReport = (asked: string) => /\/api\/v1\/stats\b/.test(asked)
    const start = performance.now()
    page.on('request', (asked) => {
      if (!isReport(asked.url())) return
      opened.paths.push(asked.url().slice(url.length))
      workspace = asked.headers()['slugline-workspace'] ?? ''
      if (open++ === 0) quiet = Promise.withResolvers()
    })
    const ended = (asked: string, isError: boolean) => {
      if (!isReport(asked)) return
      if (isError) opened.errors++
      opened.last = performance.now() - start
      if (--open === 0) quiet.resolve()
    }
    page.on('requestfailed', (asked) => ended(asked.url(), true))
    page.on('response', async (answer) => {
      // Rejected when the page was closed before.
      await answer.finished().catch(() => null)
      ended(answer.url(), answer.status() !== 200)
    })
    await page.goto(path)
    await page.waitForSelector('figure svg path', {
      state: 'attached',
      timeout: GIVEN_UP_MS,
    })
    opened.chart = performance.now() - start
    // Parts of the page are loaded after others, and ask then.
    for (let asked = -1; asked !== opened.paths.length; await Bun.sleep(300)) {
      asked = opened.paths.length
      await quiet.promise
    }
    await context.close()
    return opened
  }

  /** The requests of the page, as many in parallel as in a browser. */
  async function request(paths: readonly string[]): Promise<Opened> {
    const cookie = state.cookies.map(({ name, value }) => `${name}=${value}`).join('; ')
    const opened: Opened = { chart: 0, last: 0, errors: 0, paths: [] }
    const left = [...paths]
    const start = performance.now()
    const take = async () => {
      for (let path = left.shift(); path !== undefined; path = left.shift()) {
        const answer = await fetch(url + path, {
          headers: { cookie, 'Slugline-Workspace': workspace },
        })
        await answer.arrayBuffer()
        if (answer.status !== 200) opened.errors++
        const taken = performance.now() - start
        if (path === paths[0]) opened.chart = taken
        opened.last = Math.max(opened.last, taken)
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, take))
    return opened
  }
} finally {
  await browser.close()
  await slugline.stop()
  await dispose()
}

/** An instance with an owner, links and a year of clicks. */
async function seed(): Promise<void> {
  mkdirSync(own, { recursive: true })
  const made = await startSlugline(env, { dataDir: own, program })
  const { stdout } = await made.cli('users', 'claim-link')
  const claimed = await fetch(`${url}/app/api/v1/claim`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({
      ...OWNER,
      name: 'Ada Lovelace',
      workspace: 'Acme',
      token: /#token=(\S+)/.exec(stdout)?.[1],
    }),
  })
  if (claimed.status !== 201) throw new Error(`claim: ${claimed.status} ${await claimed.text()}`)
  await made.cli('workspaces', 'set-plan', 'Acme', 'unlimited')
  await made.stop()
  // In a separate process, to free its memory.
  const filled = Bun.spawnSync([process.execPath, ...process.argv.slice(1), '--make', own], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (filled.exitCode !== 0) throw new Error('The clicks could not be made')
}

/** The server on its store; a copy of the instance is moved to other stores. */
async function start(): Promise<{ slugline: Slugline; dispose(): Promise<void> }> {
  if (values.store === 'embedded') {
    return {
      slugline: await startSlugline(env, { dataDir: own, program }),
      dispose: async () => {},
    }
  }
  const copy = join(temporaryDirectory(), 'source')
  cpSync(own, copy, { recursive: true })
  const scaled = await startScaled()
  const clickHouse = values.store === 'clickhouse' ? await startClickHouse() : null
  const to = await scaled.postgres.createDatabase({ empty: true })
  const args = ['move', '--to', to]
  if (clickHouse !== null) args.push('--clickhouse', clickHouse.url('slugline'))
  const moved = await runCommand(
    args,
    { PATH: process.env.PATH ?? '', SLUGLINE_DATA_DIR: copy },
    program,
  )
  if (moved.status !== 0) throw new Error(`move: ${moved.stderr}`)
  const stores = {
    DATABASE_URL: to,
    REDIS_URL: scaled.redis.url,
    ...(clickHouse !== null && { CLICKHOUSE_URL: clickHouse.url('slugline') }),
  }
  const slugline = await startSlugline(
    { ...env, ...stores },
    { dataDir: temporaryDirectory(), program },
  )
  await settled(async () => {
    if (clickHouse === null) {
      const database = new URL(to).pathname.slice(1)
      const count = 'SELECT count(*) AS days FROM summed_days'
      const [row] = await scaled.postgres.admin(count, database).catch(() => [])
      return Number(row?.days ?? 0)
    }
    const query = 'SELECT count() FROM slugline.summed_days FORMAT TSV'
    const answer = await fetch(clickHouse.url('slugline'), { method: 'POST', body: query })
    const text = await answer.text()
    if (!answer.ok) throw new Error(text)
    return Number(text)
  })
  // What the sums have written is known to the planner only afterwards.
  await scaled.postgres.admin('VACUUM ANALYZE', new URL(to).pathname.slice(1))
  return {
    slugline,
    async dispose() {
      await clickHouse?.stop()
      await scaled.dispose()
    },
  }
}

/** Waits until there are sums, and then no more. */
async function settled(count: () => Promise<number>): Promise<void> {
  const began = performance.now()
  for (let last = 0; ; await Bun.sleep(SETTLED_MS)) {
    // The process that makes them runs only while there are clicks or questions.
    await fetch(`${url}/${slugAt(0)}`, { redirect: 'manual' })
    const now = await count()
    if (now === last && (now > 0 || performance.now() - began > SUMMED_WITHIN_MS)) break
    last = now
  }
  console.error(`sums of days after ${Math.round((performance.now() - began) / 1_000)} s`)
}

async function signIn(from: Browser) {
  const context = await from.newContext()
  const answer = await context.request.post(`${url}/app/api/auth/sign-in/email`, {
    headers: { Origin: url },
    data: OWNER,
  })
  if (!answer.ok()) throw new Error(`sign-in: ${answer.status()} ${await answer.text()}`)
  const page = await context.newPage()
  await page.goto(`${url}/app/links`)
  await page.waitForSelector('[data-row]')
  const signedIn = await context.storageState()
  await context.close()
  return signedIn
}
