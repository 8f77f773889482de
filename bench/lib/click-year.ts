import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { encodeRecord, HOW, RECORD_VERSION } from '../../src/clicks/record.ts'
import { journalDirectory, listSegments, segmentFile } from '../../src/clicks/segments.ts'
import { createEnricher } from '../../src/statistics/enrich/index.ts'
import { statisticsFile } from '../../src/statistics/process/index.ts'
import { ingest } from '../../src/statistics/process/ingest.ts'
import { createBatch } from '../../src/statistics/store/batch.ts'
import { openStatistics } from '../../src/statistics/store/duckdb.ts'
import { createMaintenance } from '../../src/statistics/store/maintenance.ts'
import { createClickWriter } from '../../src/statistics/store/write.ts'
import { databaseFiles, SEQS_PER_WORKSPACE } from '../../src/storage/index.ts'
import { startSlugline } from '../../test/harness/process.ts'
import { seeded, userAgents } from './clicks.ts'
import { seedLinks } from './seed.ts'

/** What {@link makeClickYear} makes. */
export interface ClickYear {
  clicks: number
  links: number
}

/** Number of the workspace that has the clicks. */
export const WORKSPACE = 1
export const DAYS = 365
const DAY_MS = 86_400_000
const LINES_PER_SEGMENT = 80_000
const DAYS_PER_ROUND = 3
/** Over so many days at the end it is seen how large the file is. */
const LAST_DAYS = 90

/**
 * Makes a data directory with links and a year of clicks that ends now, in the way a server does:
 * the clicks are written to the journal, and read, enriched, marked and stored by the statistics
 * process's own code, a day at a time, and put in order by its maintenance when it would. Only the counters
 * of links are left out.
 */
export async function makeClickYear(dir: string, { clicks, links }: ClickYear): Promise<void> {
  mkdirSync(dir, { recursive: true })
  const slugline = await startSlugline({ LOG_LEVEL: 'silent' }, { dataDir: dir })
  await slugline.createKey()
  await slugline.stop()
  seedLinks(dir, { workspaceNo: WORKSPACE, links })

  const directory = journalDirectory(dir)
  const file = statisticsFile(dir)
  const enricher = createEnricher({ geoipDatabase: null })
  const batch = createBatch()
  let now = 0
  async function openStore() {
    const database = await openStatistics(file)
    const writer = await createClickWriter(await database.connect())
    const maintenance = await createMaintenance({
      database,
      mainFile: databaseFiles(dir).main,
      clock: { now: () => now },
      changed: writer.forgetFirsts,
    })
    return { database, writer, maintenance }
  }
  let store = await openStore()
  // Behind the segments that the first start may have made.
  let segment = 1_000
  let day = 0
  let stored = 0
  let most = 0
  let copies = 0
  const cpu = { storing: 0, upkeep: 0 }
  for (const { lines, end } of linesOfDays({ clicks, links })) {
    now = end
    const old = listSegments(directory)
    mkdirSync(directory, { recursive: true })
    for (let at = 0; at < lines.length; at += LINES_PER_SEGMENT) {
      const file = segmentFile(directory, segment++)
      writeFileSync(file, lines.slice(at, at + LINES_PER_SEGMENT).join(''))
    }
    for (const no of old) rmSync(segmentFile(directory, no))
    const started = process.cpuUsage()
    for (let complete = false; !complete; ) {
      const { writer } = store
      ;({ complete } = await ingest({ directory, writer, batch, enrich: enricher.enrich }))
    }
    cpu.storing += secondsSince(started)
    stored += lines.length
    // A server looks every hour; what it leaves behind is the same.
    if (++day % DAYS_PER_ROUND !== 0 && day !== DAYS) continue
    const upkeep = process.cpuUsage()
    while (store.maintenance.due) {
      await store.maintenance.step()
      await store.database.releaseMemory()
    }
    // A server's process ends then, and the next one opens the copy.
    const { compaction } = store.maintenance
    if (compaction.ready && (await compaction.replace())) {
      copies++
      store.database.close()
      store = await openStore()
    }
    cpu.upkeep += secondsSince(upkeep)
    if (day > DAYS - LAST_DAYS) most = Math.max(most, statSync(file).size / stored)
  }
  enricher.close()
  store.database.close()
  console.log(
    `storing took ${cpu.storing.toFixed(0)} s of CPU, upkeep ${cpu.upkeep.toFixed(0)} s, ${copies} copies of the file among it; in the last ${LAST_DAYS} days the file had at most ${most.toFixed(1)} bytes a click after upkeep`,
  )
}

function secondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1e6
}

/**
 * Journal lines, day by day, and when the day ends. Links follow Zipf's law; a fifth are programs; about a third of
 * people's clicks are repeats of the day, half of them on the same link, and most from the same
 * page; agents, networks, languages and campaigns stay with the visitor.
 */
function* linesOfDays({ clicks, links }: ClickYear): Generator<{ lines: string[]; end: number }> {
  const now = Date.now()
  const today = Math.floor(now / DAY_MS)
  const random = seeded(42)
  const agents = userAgents(random)
  const zipf = (count: number, draw: number) => Math.floor(count ** draw) - 1
  let left = clicks
  for (let n = 0; n < DAYS; n++) {
    const day = today - DAYS + 1 + n
    const count = n === DAYS - 1 ? left : Math.round(clicks / DAYS)
    left -= count
    const span = n === DAYS - 1 ? now - day * DAY_MS : DAY_MS
    // More clicks in the afternoon than at night.
    const times = Float64Array.from({ length: count }, () =>
      Math.floor(day * DAY_MS + span * (0.5 + (random() + random() - 1) / 2)),
    ).sort()
    const people = Math.round(0.85 * count)
    const lines: string[] = []
    for (const time of times) {
      const who = Math.floor(random() * people)
      const own = seeded(day * 1_000_003 + who)
      const isProgram = own() < 0.2
      const agent = isProgram
        ? (PROGRAMS[Math.floor(own() * PROGRAMS.length)] as string)
        : (agents[zipf(agents.length, own())] as string)
      const ownLink = own()
      const ownPage = own()
      const campaign = own()
      const network = `${1 + Math.floor(own() * 222)}.${Math.floor(own() * 256)}.${Math.floor(own() * 256)}.0`
      const language = LANGUAGES[zipf(LANGUAGES.length, own())] as string
      const unseen = own() < 0.03
      const page = random() < 0.7 ? ownPage : random()
      const site = zipf(4_000, page)
      const path = random() < 0.5 ? '' : `posts/${site}/${Math.floor(random() * 20)}`
      const visitor = Bun.hash(`${day} ${who}`).toString(16).padStart(16, '0').slice(0, 16)
      lines.push(
        encodeRecord([
          RECORD_VERSION,
          time,
          WORKSPACE * SEQS_PER_WORKSPACE + 1 + zipf(links, random() < 0.5 ? ownLink : random()),
          !isProgram && random() < 0.05 ? HOW.qr : 0,
          unseen ? '' : visitor,
          agent,
          network,
          isProgram || page < 0.35 ? '' : `https://www.site${site}.example/${path}`,
          isProgram ? '' : language,
          campaign < 0.6
            ? 0
            : {
                source: `source${zipf(30, (campaign - 0.6) * 2.5)}`,
                medium: `medium${Math.floor(campaign * 100) % 6}`,
                campaign: `campaign-${zipf(300, (campaign - 0.6) * 2.5)}`,
                ...(campaign > 0.97 && { term: `term ${Math.floor(random() * 50)}` }),
                ...(campaign > 0.9 && { content: `content ${Math.floor(random() * 100)}` }),
              },
          'abc1234',
          0,
        ]),
      )
    }
    yield { lines, end: day * DAY_MS + span }
  }
}

const PROGRAMS = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'curl/8.5.0',
]
const LANGUAGES =
  'en-US en-GB de-DE fr-FR es-ES pt-BR it-IT nl-NL pl-PL ja-JP zh-CN zh-TW ko-KR tr-TR ru-RU sv-SE da-DK fi-FI cs-CZ uk-UA ar-EG hi-IN'
    .split(' ')
    .map((tag) => `${tag},${tag.slice(0, 2)};q=0.9,en;q=0.5`)
