import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { childOf } from './children.ts'
import { eventually } from './eventually.ts'
import { FATE, type MarkedClicks, sendMarkedClicks } from './marked-clicks.ts'
import { type Slugline, startSlugline } from './process.ts'
import { openFreed } from './statistics-file.ts'

/** What is killed. */
export type Victim = 'server' | 'click-worker' | 'statistics'

/** Options of a run. */
export interface KillRunOptions {
  clicks: number
  links: number
  connections: number
  kills: readonly Victim[]
  /** The headers of a click, each with its line end; the proxy on this machine is trusted. */
  headers(mark: number): string
}

/** The result of a run; `answeredMissing` and the fields after it must be 0, and `mended` too. */
export interface KillRun {
  answered: number
  /** Interrupted: unknown whether they were recorded. */
  unknown: number
  stored: number
  /** Stored without having been answered. */
  surplus: number
  /** Requests in flight when the server was killed. */
  inFlight: number
  kills: number
  answeredMissing: number
  storedTwice: number
  /** Stored with a number that was never sent. */
  neverSent: number
  /** Stored for another link than the one that was visited. */
  otherLink: number
  /** Links whose counters differ from the number of their raw clicks, by people and bots. */
  countersDiffer: number
  /** Links whose report differs. */
  reportsDiffer: number
  /** Reports whose totals differ from the number of stored clicks. */
  totalsDiffer: number
  /** Links whose counters `clicks recount` repaired. */
  mended: number
  loadSeconds: number
  drainSeconds: number
  slowestStartMs: number
}

interface LinkBody {
  id: string
  slug: string
  clicks: { total: number; human: number; bot: number }
}

interface Counts {
  clicks: number
  unique: number
  bots: number
}

/**
 * Sends numbered clicks, kills processes at random moments, and compares the stored clicks with the
 * client's record, one by one.
 */
export async function killRun(options: KillRunOptions): Promise<KillRun> {
  const { clicks, links, connections, kills } = options
  const slugline = await startSlugline({ LOG_LEVEL: 'warn', TRUSTED_PROXIES: '127.0.0.1' })
  let load: MarkedClicks | undefined
  try {
    const { key } = await slugline.createKey()
    await createLinks(slugline, key, links)
    const started = performance.now()
    load = sendMarkedClicks({
      port: Number(new URL(slugline.url).port),
      clicks,
      connections,
      request: (mark) => ({
        path: `/k${linkOf(mark, links)}?utm_term=${mark}`,
        headers: options.headers(mark),
      }),
    })
    const killed = await killAtRandom(slugline, load, clicks, kills)
    await load.done
    const loaded = performance.now()
    await drained(slugline)
    const drainSeconds = (performance.now() - loaded) / 1_000
    const reported = await compareReports(slugline, key)
    await slugline.stop()
    const { status, stdout, stderr } = await slugline.cli('clicks', 'recount', '--json')
    if (status !== 0) throw new Error(`clicks recount failed: ${stderr}`)
    const { mended } = JSON.parse(stdout) as { mended: number }
    const stored = await compareStored(slugline, load.fates, links)
    const unknown = load.fates.reduce((sum, fate) => sum + Number(fate === FATE.unknown), 0)
    const { total, ...differences } = reported
    return {
      answered: load.answered,
      unknown,
      inFlight: killed.inFlight,
      kills: kills.length,
      ...stored,
      surplus: stored.stored - load.answered + stored.answeredMissing,
      ...differences,
      totalsDiffer: differences.totalsDiffer + Number(total !== stored.stored),
      mended,
      loadSeconds: (loaded - started) / 1_000,
      drainSeconds,
      slowestStartMs: killed.slowestStartMs,
    }
  } catch (error) {
    console.error(slugline.output().slice(-4000))
    throw error
  } finally {
    load?.stop()
    await slugline.dispose()
  }
}

/** The number of a click's link. */
export function linkOf(mark: number, links: number): number {
  return (mark * 7_919) % links
}

/** Creates the links `k0` and so on. */
export async function createLinks(slugline: Slugline, key: string, links: number): Promise<void> {
  for (let n = 0; n < links; n++) {
    const { status } = await slugline.call('POST', '/api/v1/links', {
      key,
      body: { destination_url: `https://example.com/${n}`, slug: `k${n}` },
    })
    if (status !== 201) throw new Error(`A link was not made: ${status}`)
  }
}

async function killAtRandom(
  slugline: Slugline,
  load: MarkedClicks,
  clicks: number,
  kills: readonly Victim[],
): Promise<{ inFlight: number; slowestStartMs: number }> {
  const moments = kills.map(() => (0.02 + 0.95 * Math.random()) * clicks).sort((a, b) => a - b)
  const failed = load.done.then(
    () => false,
    () => true,
  )
  let inFlight = 0
  let slowestStartMs = 0
  for (const [i, victim] of kills.entries()) {
    while (load.answered < (moments[i] as number)) {
      if (await Promise.race([failed, Bun.sleep(1 + Math.random() * 4).then(() => false)])) break
    }
    if (victim === 'server') {
      inFlight += load.inFlight
      await slugline.kill()
      const start = performance.now()
      await slugline.restart()
      slowestStartMs = Math.max(slowestStartMs, performance.now() - start)
      continue
    }
    const child = await eventually(`there is a ${victim}`, () => childOf(slugline.pid, victim))
    process.kill(child, 'SIGKILL')
  }
  return { inFlight, slowestStartMs }
}

/** Resolves when all clicks are counted and stored. */
export async function drained(slugline: Slugline): Promise<void> {
  await eventually(
    'all is counted and stored',
    async () => {
      const text = await (await fetch(`${slugline.url}/metrics`)).text()
      const isZero = (name: string) => new RegExp(`^slugline_${name} 0$`, 'm').test(text)
      return isZero('click_backlog_bytes') && isZero('statistics_backlog_bytes') ? true : undefined
    },
    120_000,
  )
}

/** Compares the links' counters with the reports, both from the API. */
async function compareReports(slugline: Slugline, key: string) {
  const ask = async <T>(path: string): Promise<T> => {
    const answer = await slugline.call('GET', `/api/v1/${path}`, { key })
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
    return (await answer.json()) as T
  }
  const links: LinkBody[] = []
  for (let page: string | null = 'links?limit=100'; page !== null; ) {
    const body: { data: LinkBody[]; pagination: { next_cursor: string | null } } = await ask(page)
    links.push(...body.data)
    const next = body.pagination.next_cursor
    page = next === null ? null : `links?limit=100&cursor=${encodeURIComponent(next)}`
  }
  const top = await ask<{ data: (Counts & { value: string })[] }>('stats/link?limit=1000')
  const byLink = new Map(top.data.map((row) => [row.value, row]))
  const reportsDiffer = links.filter(({ id, clicks: { total, human, bot } }) => {
    const row = byLink.get(id) ?? { clicks: 0, bots: 0 }
    return row.clicks !== human || row.bots !== bot || total !== human + bot
  }).length
  const total = links.reduce((sum, { clicks }) => sum + clicks.total, 0)
  const people = links.reduce((sum, { clicks }) => sum + clicks.human, 0)
  const totals = async (bots: string) =>
    (await ask<{ totals: Counts }>(`stats?bots=${bots}`)).totals
  const exclude = await totals('exclude')
  const totalsDiffer =
    Number((await totals('include')).clicks !== total) +
    Number(exclude.clicks !== people) +
    Number(exclude.clicks + exclude.bots !== total)
  return { total, reportsDiffer, totalsDiffer }
}

/** Reads the files of a stopped server, click by click. */
export async function compareStored(slugline: Slugline, fates: Uint8Array, links: number) {
  const seen = new Uint8Array(fates.length)
  let stored = 0
  let neverSent = 0
  let otherLink = 0
  const slugs = new Map<number, string>()
  const main = new Database(join(slugline.dataDir, 'slugline.db'), { readonly: true })
  for (const { seq, slug } of main
    .query<{ seq: number; slug: string }, []>('SELECT seq, slug FROM links')
    .all()) {
    slugs.set(seq, slug)
  }
  main.close()
  const database = await openFreed(join(slugline.dataDir, 'statistics.duckdb'), { readonly: true })
  const connection = await database.connect()
  for await (const rows of connection.stream('SELECT link, utm_term FROM clicks')) {
    for (const [seq, term] of rows) {
      const mark = Number(term)
      stored++
      if (!(mark >= 0) || fates[mark] === FATE.unsent) neverSent++
      else if (slugs.get(Number(seq)) !== `k${linkOf(mark, links)}`) otherLink++
      seen[mark] = Math.min(2, (seen[mark] ?? 0) + 1)
    }
  }
  const raw = (
    await connection.run(
      'SELECT link, count_if(kind = 0), count_if(kind <> 0) FROM clicks GROUP BY link',
    )
  ).map((row) => row.map(Number) as [number, number, number])
  database.close()
  const counters = new Database(join(slugline.dataDir, 'counters.db'), { readonly: true })
  const counted = counters.query<{ total: number; human: number; bot: number }, [number]>(
    'SELECT total, human, bot FROM link_counters WHERE link_seq = ?',
  )
  const countersDiffer = raw.filter(([link, human, bot]) => {
    const row = counted.get(link)
    return row?.human !== human || row.bot !== bot || row.total !== human + bot
  }).length
  counters.close()
  let answeredMissing = 0
  let storedTwice = 0
  for (let mark = 0; mark < fates.length; mark++) {
    if (fates[mark] === FATE.answered && seen[mark] === 0) answeredMissing++
    if (seen[mark] === 2) storedTwice++
  }
  return { stored, answeredMissing, storedTwice, neverSent, otherLink, countersDiffer }
}
