/**
 * How the dashboard feels: first loads of three pages with nothing cached, at 1.6 Mb/s, 150 ms and a
 * quarter of the processor; and table, search and sort in a workspace with a million links, from the
 * key or click to painted rows, in Chromium against the real server.
 * Usage: bin/bun bench/dashboard.ts [--links 1000000] [--clicks 200000] [--loads 5] [--rounds 3]
 *        [--data-dir D]   keeps what was seeded in D, and takes it from there the next time
 */
import { Database } from 'bun:sqlite'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import { journalDirectory, segmentFile } from '../src/clicks/segments.ts'
import { databaseFiles, SEQS_PER_WORKSPACE } from '../src/platform/storage/index.ts'
import { launchChromium } from '../test/browser/chromium.ts'
import { type Slugline, startSlugline } from '../test/harness/process.ts'
import { journalLines } from './lib/clicks.ts'
import { firstLoad, inList, LINKS, type Load, type Shown, type Timings } from './lib/dashboard.ts'
import { machine, median, quantile } from './lib/machine.ts'
import { seedLinks } from './lib/seed.ts'
import { temporaryDirectory } from './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    links: { type: 'string', default: '1000000' },
    clicks: { type: 'string', default: '200000' },
    loads: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '3' },
    'data-dir': { type: 'string' },
  },
})
const links = Number(values.links)
const OWNER = { email: 'ada@example.com', password: 'the engine weaves patterns' }
/** Limits of actions that people perceive as immediate. */
const LIMITS_MS = { median: 100, p95: 200 }
/** The measured pages, and within how many milliseconds their content should be visible. */
const PAGES: Readonly<Record<string, [Shown, number]>> = {
  'the sign-in': [{ path: '/app/sign-in', selector: 'input[name=email]', signedOut: true }, 1_200],
  links: [LINKS, 1_800],
  statistics: [{ path: '/app/statistics', selector: 'figure svg path' }, 2_500],
}

const kept = values['data-dir']
const dataDir = kept ?? temporaryDirectory()
const isSeeded = kept !== undefined && existsSync(databaseFiles(dataDir).main)
mkdirSync(dataDir, { recursive: true })
const port = String(freePort())
const url = `http://localhost:${port}`
const env = { PORT: port, BASE_URL: url, LOG_LEVEL: 'error' }
let slugline = await startSlugline(env, { dataDir })
if (!isSeeded) slugline = await seed(slugline)
await countersOfAll()

const browser = await launchChromium()
try {
  const state = await signIn()
  const context = { browser, url, state }
  console.log(machine({ chromium: browser.version() }))
  console.log(`${links} links in one workspace; load average ${loadavg().map(short).join(' ')}`)

  for (const [name, [shown, limitMs]] of Object.entries(PAGES)) {
    const loads: Load[] = []
    // One more before: the first load also starts the browser.
    for (let at = -1; at < Number(values.loads); at++) {
      const load = await firstLoad(context, shown)
      if (at >= 0) loads.push(load)
    }
    const row = (of: keyof Load, digits: number, limit = '') => ({
      median: median(loads.map((load) => load[of])).toFixed(digits),
      worst: Math.max(...loads.map((load) => load[of])).toFixed(digits),
      limit,
    })
    console.log(`\nFirst load of ${name}, nothing cached, ${loads.length} times`)
    console.table({
      'content on screen, ms': row('contentMs', 0, String(limitMs)),
      'largest paint, ms': row('largestPaintMs', 0),
      'layout shift': row('layoutShift', 4, '0'),
      'JavaScript, kB as sent': row('scriptKb', 1),
      'all, kB as sent': row('allKb', 1),
      requests: row('requests', 0),
    })
  }

  const rounds: Timings[] = []
  for (let at = 0; at < Number(values.rounds); at++) rounds.push(await inList(context, at))
  console.log(`\nFrom key or click to painted rows, ${rounds.length} rounds, milliseconds`)
  const names = [...new Set(rounds.flatMap((round) => Object.keys(round)))]
  console.table(
    Object.fromEntries(
      names.map((name) => {
        const taken = rounds.flatMap((round) => round[name] ?? [])
        const figures = {
          times: taken.length,
          median: median(taken).toFixed(0),
          p95: quantile(taken, 0.95).toFixed(0),
          worst: Math.max(...taken).toFixed(0),
          limit:
            median(taken) <= LIMITS_MS.median && quantile(taken, 0.95) <= LIMITS_MS.p95
              ? 'kept'
              : 'BROKEN',
        }
        return [name, figures]
      }),
    ),
  )
} finally {
  await browser.close()
  await slugline.stop()
}

/** An owner with a workspace, its links, and a month of clicks. */
async function seed(running: Slugline): Promise<Slugline> {
  const { stdout } = await running.cli('users', 'claim-link')
  const token = /#token=(\S+)/.exec(stdout)?.[1]
  const claimed = await fetch(`${url}/app/api/v1/claim`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ ...OWNER, name: 'Ada Lovelace', workspace: 'Acme', token }),
  })
  if (claimed.status !== 201) throw new Error(`claim: ${claimed.status} ${await claimed.text()}`)
  await running.cli('workspaces', 'set-plan', 'Acme', 'unlimited')
  await running.stop()
  seedLinks(dataDir, { workspaceNo: 1, links, rare: 3, common: Math.round(links / 10) })
  const directory = journalDirectory(dataDir)
  mkdirSync(directory, { recursive: true })
  const now = Date.now()
  const clicks = journalLines({
    firstLink: SEQS_PER_WORKSPACE + 1,
    links,
    from: now - 30 * 86_400_000,
    to: now - 60_000,
    clicks: Number(values.clicks),
    visitors: 5_000,
  })
  writeFileSync(segmentFile(directory, 1), [...clicks].join(''))
  return await startSlugline(env, { dataDir })
}

/** Waits until the click worker has rows for all links, so that sorting by clicks is realistic. */
async function countersOfAll(): Promise<void> {
  const db = new Database(databaseFiles(dataDir).counters, { readonly: true })
  const rows = db.query<{ n: number }, []>('SELECT count(*) AS n FROM link_counters')
  await waitFor(() => ((rows.get()?.n ?? 0) >= links ? true : undefined))
  db.close()
}

async function signIn() {
  const context = await browser.newContext()
  const answer = await context.request.post(`${url}/app/api/auth/sign-in/email`, {
    headers: { Origin: url },
    data: OWNER,
  })
  if (!answer.ok()) throw new Error(`sign-in: ${answer.status()} ${await answer.text()}`)
  // The browser remembers the workspace, like that of anyone who has been here before.
  const page = await context.newPage()
  await page.goto(`${url}${LINKS.path}`)
  await page.waitForSelector(LINKS.selector)
  const state = await context.storageState()
  await context.close()
  return state
}

async function waitFor<T>(found: () => T | undefined): Promise<T> {
  for (let tries = 0; tries < 1_800; tries++) {
    const value = found()
    if (value !== undefined) return value
    await Bun.sleep(100)
  }
  throw new Error('waited for three minutes in vain')
}

function freePort(): number {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const found = server.port as number
  server.stop(true)
  return found
}

function short(value: number): string {
  return value.toFixed(1)
}
