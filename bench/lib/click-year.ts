import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { databaseFiles, SEQS_PER_WORKSPACE } from '../../src/platform/storage/index.ts'
import { openDuckDb } from '../../src/statistics/engine/duckdb/index.ts'
import { createMaintenance } from '../../src/statistics/engine/duckdb/maintenance.ts'
import { statisticsFile } from '../../src/statistics/process/index.ts'
import { startSlugline } from '../../test/harness/process.ts'
import { seedLinks } from './seed.ts'
import { temporaryDirectory } from './temporary.ts'

/** Options of {@link makeClickYear}. */
export interface ClickYear {
  clicks: number
  links: number
}

/** The number of the workspace with the clicks. */
export const WORKSPACE = 1
export const DAYS = 365
const DAY_MS = 86_400_000

/**
 * Makes a data directory with links and a year of clicks that ends now. The clicks are made in SQL, a
 * day at a time, and months are closed by the server's own maintenance. Counters of links are left out.
 */
export async function makeClickYear(dir: string, { clicks, links }: ClickYear): Promise<void> {
  mkdirSync(dir, { recursive: true })
  const slugline = await startSlugline({ LOG_LEVEL: 'silent' }, { dataDir: dir })
  await slugline.createKey()
  await slugline.stop()
  seedLinks(dir, { workspaceNo: WORKSPACE, links })

  const database = await openDuckDb(statisticsFile(dir))
  const connection = await database.connect()
  const now = Date.now()
  const today = Math.floor(now / DAY_MS)
  for (const macro of MACROS) await connection.run(macro)
  let clock = now
  const maintenance = await createMaintenance({
    database,
    mainFile: databaseFiles(dir).main,
    clock: { now: () => clock },
  })
  let peak = 0
  let cpu = 0
  for (let n = 0; n < DAYS; n++) {
    const day = today - DAYS + 1 + n
    const isLast = n === DAYS - 1
    const span = isLast ? now - day * DAY_MS : DAY_MS
    const count = Math.round(clicks / DAYS)
    await connection.run(`INSERT INTO clicks BY NAME ${daySql({ day, count, span, links })}`)
    clock = day * DAY_MS + span
    // A month is closed soon after its end, as on a server.
    if (new Date(clock).getUTCDate() !== 2 && !isLast) continue
    const started = process.cpuUsage()
    while (maintenance.due) {
      await maintenance.step()
      peak = Math.max(peak, process.memoryUsage.rss())
      await database.releaseMemory()
    }
    const { user, system } = process.cpuUsage(started)
    cpu += user + system
  }
  console.log(
    `closing the months took ${(cpu / clicks).toFixed(1)} µs of CPU a click; memory after a step at most ${(peak / 1e6).toFixed(0)} MB`,
  )
  database.close()
}

/**
 * Reproducible random numbers: `u` from 0 to 1, `zipf` by Zipf's law from 0. Hashes of two values with
 * the same first one differ by an XOR only: without the second hash each draw would follow from another.
 */
const MACROS = [
  'CREATE TEMP MACRO u(a, b) AS hash(hash(a, b))::DOUBLE / 18446744073709551616.0',
  'CREATE TEMP MACRO zipf(count, draw) AS (floor(pow(count, draw)) - 1)::BIGINT',
  'CREATE TEMP MACRO pick(list, draw) AS list[(floor(len(list) * draw) + 1)::BIGINT]',
]

const COUNTRIES =
  'US US US US DE DE GB GB FR ES BR IT NL PL JP CN TW KR TR RU SE DK FI CZ UA EG IN IN AU CA MX AR CH AT BE NO'
const LANGUAGES = 'en en en de fr es pt it nl pl ja zh-Hans zh-Hant ko tr ru sv da fi cs uk ar hi'
const BROWSERS =
  'Chrome Chrome Chrome Safari Safari Edge Firefox Opera Samsung_Internet Instagram Facebook WhatsApp'
const SYSTEMS = 'Windows Windows Android Android iOS iOS macOS Linux ChromeOS'
const PROGRAMS = 'Googlebot Slackbot facebookexternalhit bingbot curl'

const list = (words: string) => `[${words.split(' ').map((word) => `'${word}'`)}]`

/**
 * Clicks of one day. Links follow Zipf's law; a fifth are programs; about a third of human clicks are
 * repeats of the day, half of them on the same link, and most from the same page; agents, countries,
 * languages and campaigns stay with the visitor.
 */
function daySql(of: { day: number; count: number; span: number; links: number }): string {
  const { day, count, span, links } = of
  const people = Math.round(0.85 * count)
  const first = WORKSPACE * SEQS_PER_WORKSPACE + 1
  return `
    WITH draws AS (
      SELECT range AS i, ${day}::BIGINT AS day, floor(${people} * u(${day}::BIGINT * 100000000 + range, 1))::BIGINT AS who
      FROM range(${count})
    ), visitors AS (
      -- More clicks in the afternoon than at night.
      SELECT *, day * 1000003 + who AS own, day * 100000000 + i AS click,
        ${day * DAY_MS} + floor(${span} * (0.5 + (u(click, 2) + u(click, 3) - 1) / 2))::BIGINT AS time,
        u(own, 1) < 0.2 AS program, u(own, 2) AS campaign,
        CASE WHEN u(click, 4) < 0.7 THEN u(own, 3) ELSE u(click, 5) END AS page
      FROM draws
    ), sites AS (SELECT *, zipf(4000, page) AS site FROM visitors)
    SELECT ${WORKSPACE} AS workspace,
      ${first} + zipf(${links}, CASE WHEN u(click, 6) < 0.5 THEN u(own, 4) ELSE u(click, 7) END) AS link,
      time, row_number() OVER (PARTITION BY time ORDER BY i) - 1 AS n,
      CASE WHEN u(own, 5) < 0.03 THEN NULL ELSE hash(own, 6) END AS visitor,
      CASE WHEN program THEN 1 ELSE 0 END AS kind,
      NOT program AND u(click, 8) < 0.05 AS qr, 0 AS domain,
      CASE WHEN program THEN 'crawler' END AS reason,
      pick(${list(COUNTRIES)}, u(own, 7)) AS country,
      CASE WHEN program THEN NULL ELSE pick(${list(LANGUAGES)}, u(own, 8)) END AS language,
      CASE WHEN program OR page < 0.35 THEN NULL ELSE concat('site', site, '.example') END AS referrer,
      CASE WHEN program OR page < 0.35 THEN NULL WHEN u(click, 9) < 0.5 THEN '/'
        ELSE concat('/posts/', site, '/', floor(20 * u(click, 10))::INTEGER) END AS referrer_path,
      CASE WHEN program THEN 'bot' ELSE pick(['desktop', 'mobile', 'mobile', 'tablet'], u(own, 9)) END AS device,
      pick(CASE WHEN program THEN ${list(PROGRAMS)} ELSE ${list(BROWSERS)} END, u(own, 10)) AS browser,
      CASE WHEN program THEN NULL ELSE pick(${list(SYSTEMS)}, u(own, 11)) END AS os,
      CASE WHEN campaign >= 0.6 THEN concat('source', zipf(30, (campaign - 0.6) * 2.5)) END AS utm_source,
      CASE WHEN campaign >= 0.6 THEN concat('medium', floor(campaign * 100)::BIGINT % 6) END AS utm_medium,
      CASE WHEN campaign >= 0.6 THEN concat('campaign-', zipf(300, (campaign - 0.6) * 2.5)) END AS utm_campaign,
      CASE WHEN campaign > 0.97 THEN concat('term ', floor(50 * u(click, 11))::INTEGER) END AS utm_term,
      CASE WHEN campaign > 0.9 THEN concat('content ', floor(100 * u(click, 12))::INTEGER) END AS utm_content
    FROM sites ORDER BY time, n`
}

/**
 * The data directory of a bench's options, with a year of clicks: made where there is none, in a process
 * of its own, to free its memory. With `make` this is that process: it ends.
 */
export async function clickYearOf(
  { make, data }: { make?: string | undefined; data?: string | undefined },
  year: ClickYear,
): Promise<string> {
  if (make !== undefined) {
    await makeClickYear(make, year)
    process.exit()
  }
  const dir = data ?? join(temporaryDirectory(), 'data')
  if (existsSync(statisticsFile(dir))) return dir
  const made = Bun.spawnSync([process.execPath, ...process.argv.slice(1), '--make', dir], {
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (made.exitCode !== 0) throw new Error('The clicks could not be made')
  return dir
}
