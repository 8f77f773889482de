import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { decodeRecord } from '../../src/clicks/record.ts'
import { eventually } from './eventually.ts'
import { Disk, isKept, recording, replay, type Survey, surveyOf } from './power.ts'
import { type Slugline, startSlugline } from './process.ts'
import { filesIn, testStore } from './store.ts'

/** Why there are no power cuts on this machine; undefined: there are. */
export const powerMissing: string | undefined = reasonToSkip()

function reasonToSkip(): string | undefined {
  if (testStore !== 'embedded') return 'the files are those of one machine'
  if (Bun.which('strace') === null) return 'strace is not installed'
  const traced = Bun.spawnSync(['strace', '-D', '-f', '-o', '/dev/null', 'true'])
  return traced.success ? undefined : 'processes may not be traced here'
}

const BROWSER = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
}
/** Only these links are visited, and they aren't deleted. */
const VISITED = 5
const DELETED_EACH = 2

/** What a link was from an answer on; times are in milliseconds since the epoch. */
interface State {
  /** `{version} {destination}`; null: deleted. */
  is: string | null
  askedAt: number
  answeredAt: number
}

interface Visit {
  sentAt: number
  /** Infinity: there was no answer. */
  answeredAt: number
}

/** What the client asked for and when it was answered, by slug. */
interface Ledger {
  links: Map<string, State[]>
  visits: Map<string, Visit[]>
}

/** A program under load whose system calls are recorded. */
export interface Recording extends Survey {
  dataDir: string
  /** The files before. */
  base: readonly { file: string; bytes: Buffer }[]
  trace: string
  key: string
  ledger: Ledger
  /** When the load ended: the program stopped after that. */
  until: number
}

/** Not before an answer, though the clock has whole milliseconds. */
const answered = () => Date.now() + 1

/** Records a program that creates, changes, deletes and counts visits of links. */
export async function record(scratch: string, loadMs: number): Promise<Recording> {
  const dataDir = mkdtempSync(join(scratch, 'data-'))
  const first = await startSlugline({ LOG_LEVEL: 'warn' }, { dataDir })
  const { key } = await first.createKey({ scopes: 'links:read,links:write' })
  await first.stop()
  const base = filesIn(dataDir)
  const trace = `${dataDir}.trace`
  const options = { dataDir, wrapper: recording(trace) }
  const traced = await startSlugline({ LOG_LEVEL: 'warn' }, options)
  const ledger: Ledger = { links: new Map(), visits: new Map() }
  await load(traced, key, ledger, performance.now() + loadMs)
  const until = Date.now()
  await traced.stop()
  const end = new RegExp(`^${traced.pid} .*\\+\\+\\+ exited`, 'm')
  await eventually('the recording has ended', () =>
    end.test(readFileSync(trace, 'latin1')) ? true : undefined,
  )
  const survey = await surveyOf(trace, '.duckdb.wal')
  return { dataDir, base, trace, key, ledger, until, ...survey }
}

async function load(slugline: Slugline, key: string, ledger: Ledger, until: number): Promise<void> {
  const { links, visits } = ledger
  async function send(method: string, path: string, no: number, is: string | null, body?: object) {
    const state = { is, askedAt: Date.now(), answeredAt: Number.POSITIVE_INFINITY }
    const states = links.get(`p${no}`) ?? []
    links.set(`p${no}`, [...states, state])
    const answer = await slugline.call(method, path, { key, body })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    state.answeredAt = answered()
    return text === '' ? null : (JSON.parse(text) as { id: string })
  }
  async function live(no: number): Promise<void> {
    const [one, two] = [`https://example.com/${no}/1`, `https://example.com/${no}/2`]
    const body = { destination_url: one, slug: `p${no}` }
    const made = await send('POST', '/api/v1/links', no, `1 ${one}`, body)
    const path = `/api/v1/links/${made?.id}`
    await send('PATCH', path, no, `2 ${two}`, { destination_url: two })
    if (no >= VISITED && no % DELETED_EACH === 0) await send('DELETE', path, no, null)
  }
  async function visit(slug: string): Promise<void> {
    const one: Visit = { sentAt: Date.now(), answeredAt: Number.POSITIVE_INFINITY }
    visits.set(slug, [...(visits.get(slug) ?? []), one])
    const answer = await slugline.call('GET', `/${slug}`, { headers: BROWSER })
    if (answer.status !== 302) throw new Error(`A visit was answered with ${answer.status}`)
    one.answeredAt = answered()
  }
  await live(0)
  let made = 1
  const repeat = async (step: (no: number) => Promise<void>) => {
    for (let no = 0; performance.now() < until; no++) await step(no)
  }
  const write = () =>
    repeat(async () => {
      await live(made++)
      await Bun.sleep(40)
    })
  const visitor = (worker: number) =>
    repeat(async (no) => {
      await visit(`p${(no * 7 + worker) % Math.min(made - 2, VISITED)}`)
      // Pauses, after which a pass finds little.
      if (no % 40 === 39) await Bun.sleep(300)
    })
  await live(made++)
  await live(made++)
  await Promise.all([write(), write(), ...Array.from({ length: 6 }, (_, i) => visitor(i))])
}

/** Random moments: every other one is right after a sync. */
export function momentsOf({ times, syncs }: Recording, count: number, random: () => number) {
  return Array.from({ length: count }, (_, no) =>
    no % 2 === 0
      ? Math.floor(1 + random() * times.length)
      : (syncs[Math.floor(random() * syncs.length)] ?? 1),
  )
}

/** Power cuts at some calls of a recording. */
export interface CutOptions {
  /** The numbers of the calls, from 1 on. */
  moments: readonly number[]
  random: () => number
  /** Files whose syncs are left out. */
  unsynced?: RegExp
}

/**
 * Starts the program on what is left at each moment, and compares. Returns what is wrong, by moment.
 * Without {@link CutOptions.unsynced}, the rebuilt disk of the end must also be the real one: no
 * system call was missed.
 */
export async function cutPower(
  run: Recording,
  { moments, random, unsynced }: CutOptions,
): Promise<string[]> {
  const sorted = [...moments].sort((a, b) => a - b)
  const disk = new Disk(run.dataDir, run.base, unsynced)
  const wrong: string[] = []
  let call = 0
  let cut = 0
  for await (const at of replay(run.trace, disk)) {
    for (call++; sorted[cut] === call; cut++) {
      // A directory of its own: helpers of the server of the last cut may end a little later than it.
      const dataDir = `${run.dataDir}-cut-${cut}`
      disk.writeTo(dataDir, random)
      const found = await compare(dataDir, run, at, disk)
      wrong.push(...found.map((each) => `call ${call} of ${run.times.length}: ${each}`))
      rmSync(dataDir, { recursive: true, force: true })
    }
  }
  if (cut < sorted.length) wrong.push(`The recording has ended before call ${sorted[cut]}`)
  if (unsynced === undefined) wrong.push(...differences(disk, run.dataDir))
  return wrong
}

function differences(disk: Disk, dataDir: string): string[] {
  const real = new Map(filesIn(dataDir).map(({ file, bytes }) => [file, bytes]))
  for (const file of real.keys()) if (!isKept(file)) real.delete(file)
  const wrong: string[] = []
  for (const { file, bytes } of disk.files()) {
    if (real.get(file)?.equals(bytes) !== true) wrong.push(`${file} is not rebuilt as it is`)
    real.delete(file)
  }
  return [...wrong, ...[...real.keys()].map((file) => `${file} is not rebuilt`)]
}

/** Clicks of each link that the journal has synced, in any segment that there was. */
function syncedClicks(disk: Disk): Map<string, number> {
  const clicks = new Map<string, number>()
  for (const [content, file] of disk.contents) {
    if (!isSegment(file)) continue
    for (const line of content.syncedBytes.toString('latin1').split('\n')) {
      const slug = decodeRecord(line)?.[10]
      if (slug !== undefined) clicks.set(slug, (clicks.get(slug) ?? 0) + 1)
    }
  }
  return clicks
}

const isSegment = (file: string) => /\/journal\/\d+\.log$/.test(file)

interface Found {
  id: string
  slug: string
  version: number
  destination_url: string
  clicks: { total: number }
}

/** Starts on what is left of a moment `at`. */
async function compare(
  dataDir: string,
  { key, ledger }: Recording,
  at: number,
  disk: Disk,
): Promise<string[]> {
  const slugline = await startSlugline({ LOG_LEVEL: 'warn' }, { dataDir }).catch(String)
  if (typeof slugline === 'string') return [slugline]
  const wrong: string[] = []
  const call = async <T>(path: string) => {
    const answer = await slugline.call('GET', path, { key })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }
  const stored = async (path: string) =>
    (await call<{ totals: { clicks: number } }>(`/api/v1/${path}?bots=include`)).totals.clicks
  try {
    await eventually('the journal is counted and stored', async () => {
      const text = await (await fetch(`${slugline.url}/metrics`)).text()
      const backlogs = text.match(/^slugline_(click|statistics)_backlog_bytes 0$/gm)
      return backlogs?.length === 2 ? true : undefined
    })
    const links = await allLinks(call)
    wrong.push(...lostLinks(links, ledger, at))
    const synced = syncedClicks(disk)
    let sum = 0
    for (const { id, slug, clicks } of links.values()) {
      const { least, most } = boundsOf(slug, ledger, at, disk)
      const atLeast = Math.max(least, synced.get(slug) ?? 0)
      if (clicks.total < atLeast || clicks.total > most) {
        wrong.push(`${slug} has ${clicks.total} clicks: between ${atLeast} and ${most} were kept`)
      }
      sum += clicks.total
      const inStatistics = clicks.total === 0 ? 0 : await stored(`links/${id}/stats`)
      if (inStatistics !== clicks.total) {
        wrong.push(`${slug}: ${clicks.total} clicks, ${inStatistics} in the statistics`)
      }
    }
    const ofAll = await stored('stats')
    if (ofAll !== sum) wrong.push(`all links: ${sum} clicks, ${ofAll} in the statistics`)
  } catch (error) {
    wrong.push(`${error} ${slugline.output().slice(-3_000)}`)
  } finally {
    await slugline.kill()
  }
  return wrong
}

async function allLinks(call: <T>(path: string) => Promise<T>): Promise<Map<string, Found>> {
  const links = new Map<string, Found>()
  for (let cursor = ''; ; ) {
    const page = await call<{ data: Found[]; pagination: { next_cursor: string | null } }>(
      `/api/v1/links?limit=100${cursor}`,
    )
    for (const link of page.data) links.set(link.slug, link)
    if (page.pagination.next_cursor === null) return links
    cursor = `&cursor=${encodeURIComponent(page.pagination.next_cursor)}`
  }
}

/** Links that are neither as last answered before a moment nor as asked for since. */
function lostLinks(links: Map<string, Found>, ledger: Ledger, at: number): string[] {
  return [...ledger.links].flatMap(([slug, states]) => {
    const last = states.findLastIndex(({ answeredAt }) => answeredAt < at)
    const possible = states
      .slice(Math.max(last, 0))
      .filter(({ askedAt }) => askedAt <= at)
      .map(({ is }) => is)
    if (last < 0) possible.push(null)
    const link = links.get(slug)
    const is = link === undefined ? null : `${link.version} ${link.destination_url}`
    return possible.includes(is) ? [] : [`${slug} is ${is} instead of ${possible.join(' or ')}`]
  })
}

/** How many clicks there may be: those answered before a sync began are safe when it has ended. */
function boundsOf(slug: string, ledger: Ledger, at: number, disk: Disk) {
  const visits = ledger.visits.get(slug) ?? []
  const begun = [...disk.syncedAt].filter(([file]) => isSegment(file)).map(([, when]) => when)
  const safe = Math.max(0, ...begun)
  return {
    least: visits.filter(({ answeredAt }) => answeredAt < safe).length,
    most: visits.filter(({ sentAt }) => sentAt <= at).length,
  }
}
