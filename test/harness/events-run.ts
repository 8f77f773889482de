import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import type { FeedEvent } from '../../src/features/events/types.ts'
import { SEQS_PER_WORKSPACE } from '../../src/platform/storage/index.ts'
import type { TestCluster } from './cluster.ts'
import { eventually } from './eventually.ts'
import { BASE_ENV, type Slugline } from './process.ts'

/** What is killed: a node, a server, or one of the readers. */
export type EventsVictim = 'node' | 'redis' | 'postgres' | 'page' | 'stream'

/** Options of a run. */
export interface EventsRunOptions {
  changes: number
  /** Which part of the changes has requests of their own; the others are made by bulk requests. */
  single: number
  kills: readonly EventsVictim[]
  /** Called from time to time with the number of changes that are answered. */
  progress?(answered: number): void
}

/** What a reader has got, compared with the database; `twice` and the fields after it must be 0. */
export interface ReaderResult {
  events: number
  /** How often it was killed. */
  kills: number
  /** How long after the last change it had all events. */
  behindSeconds: number
  /** Events that it has more than once. */
  twice: number
  /** Stored events that it doesn't have. */
  missing: number
  /** Places at which it has another event than the database; numbers are from 1, without a gap. */
  disordered: number
}

/** The result of a run. */
export interface EventsRun {
  /** Changes that were answered, each once. */
  changes: number
  /** The workspace's events in the database. */
  stored: number
  /** Changes that the database has more than once, or not at all: must be 0. */
  storedTwice: number
  storedMissing: number
  requests: number
  /** Requests that were repeated with their idempotency key. */
  repeated: number
  kills: Record<EventsVictim, number>
  seconds: number
  readers: Record<'page' | 'stream', ReaderResult>
}

const WORKSPACE = 'feed'
/** The most creations of a bulk request, and the fewest requests of a writer. */
const CREATIONS_MAX = 500
const REQUESTS_MIN = 20
/** Of so many bulk requests one changes links, the others create them, which is much faster. */
const UPDATES_EACH = 4
const UPDATES_MAX = 25
const WRITERS_PER_NODE = 2
const RETRY_MS = 100
/** Of interrupted requests: the change may be made. */
const REPEATED = new Set([408, 409, 425, 429, 500, 502, 503, 504])

/** The stored events of the workspace, in the order of their entries. */
const EVENTS = `SELECT sequence, object::json->>'title' AS title FROM audit
  WHERE object IS NOT NULL
    AND seq / ${SEQS_PER_WORKSPACE} = (SELECT no FROM workspaces WHERE name = '${WORKSPACE}')
  ORDER BY seq`

/** How a reader keeps an event: its number, its id, and the change that it tells of. */
export function eventLine({ sequence, id, object }: FeedEvent): string {
  return `${sequence} ${id} ${object.title ?? '-'}\n`
}

/**
 * Changes links on all nodes while nodes, servers and the readers of the feed are killed, and compares
 * what the readers have with what was answered and with the database. Every request is repeated with
 * its idempotency key until it succeeds, so what was committed is known to the last change.
 */
export async function eventsRun(
  cluster: TestCluster,
  { changes, single, kills, progress = () => {} }: EventsRunOptions,
): Promise<EventsRun> {
  const { nodes } = cluster
  const scopes = 'links:read,links:write,events:read'
  const { key } = await (nodes[0] as Slugline).createKey({ workspace: WORKSPACE, scopes })
  const dir = mkdtempSync(join(tmpdir(), 'slugline-events-'))
  const readers = {
    page: startReader('page', join(dir, 'page'), nodes, key),
    stream: startReader('stream', join(dir, 'stream'), nodes, key),
  }
  const run: Run = { answered: 0, titles: [], requests: 0, repeated: 0, failed: false }
  const start = performance.now()
  try {
    const count = WRITERS_PER_NODE * nodes.length
    const share = Math.ceil(changes / count)
    const writers = Array.from({ length: count }, (_, writer) =>
      write({ nodes, key, writer, changes: share, single, run, progress }),
    )
    const done = Promise.all(writers).catch((error) => {
      run.failed = true
      throw error
    })
    await Promise.all([done, killAtRandom(cluster, readers, run, count * share, kills)])
    const ended = performance.now()
    const rows = await cluster.postgres.admin(EVENTS, cluster.database)
    const stored = rows.map(({ sequence, title }) => `${sequence} ${title ?? '-'}`)
    // Other objects of the workspace have no title.
    const titles = stored.map(titleOf).filter((title) => title !== '-')
    const result = async (reader: Reader): Promise<ReaderResult> => {
      const isDone = () => (reader.lines().length >= stored.length ? true : undefined)
      // What is missing after that is counted.
      await eventually(`the reader by ${reader.mode} has all events`, isDone).catch(() => {})
      const behindSeconds = (performance.now() - ended) / 1_000
      return { ...compare(reader.lines(), stored), kills: reader.kills(), behindSeconds }
    }
    const [page, stream] = await Promise.all([result(readers.page), result(readers.stream)])
    return {
      changes: run.answered,
      stored: stored.length,
      storedTwice: titles.length - new Set(titles).size,
      storedMissing: missingOf(run.titles, stored),
      requests: run.requests,
      repeated: run.repeated,
      kills: countOf(kills),
      seconds: (ended - start) / 1_000,
      readers: { page, stream },
    }
  } finally {
    run.failed = true
    for (const reader of Object.values(readers)) await reader.stop()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** What the writers know. */
interface Run {
  answered: number
  /** The changes that were answered, each by the title that it gave. */
  titles: string[]
  requests: number
  repeated: number
  failed: boolean
}

interface Writing {
  nodes: readonly Slugline[]
  key: string
  writer: number
  changes: number
  single: number
  run: Run
  progress(answered: number): void
}

/** Makes the links of a writer, which count as changes, and changes them. */
async function write({
  nodes,
  key,
  writer,
  changes,
  single,
  run,
  progress,
}: Writing): Promise<void> {
  let made = 0
  const home = writer % nodes.length
  const title = () => `${writer}.${made++}`
  const send = async (path: string, method: string, body: unknown, titles: string[]) => {
    const answer = await withRetry(nodes, home, run, { path, method, key, body })
    run.titles.push(...titles)
    run.answered += titles.length
    progress(run.answered)
    return answer
  }
  const bulk = async (operations: object[], titles: string[]) => {
    const { data, summary } = (await send('/links/bulk', 'POST', { operations }, titles)) as {
      data: { link?: { id: string } }[]
      summary: { failed: number }
    }
    if (summary.failed > 0) throw new Error(`${summary.failed} changes were refused`)
    return data.map(({ link }) => link?.id ?? '')
  }
  const each = Math.min(CREATIONS_MAX, Math.ceil(changes / REQUESTS_MIN))
  const titlesOf = (count: number) =>
    Array.from({ length: Math.min(count, changes - made) }, () => title())
  const create = (titles: string[]) =>
    bulk(
      titles.map((name) => ({
        op: 'create',
        link: { destination_url: 'https://example.com/', title: name },
      })),
      titles,
    )
  const ids = await create(titlesOf(each))
  for (let request = 1, due = 0; made < changes; request++) {
    for (due += each * single; due >= 1 && made < changes; due--) {
      const id = ids[made % ids.length]
      const name = title()
      await send(`/links/${id}`, 'PATCH', { title: name }, [name])
    }
    if (made === changes) return
    if (request % UPDATES_EACH > 0) {
      await create(titlesOf(each))
      continue
    }
    const titles = titlesOf(Math.min(UPDATES_MAX, ids.length))
    await bulk(
      titles.map((name, i) => ({ op: 'update', id: ids[i], link: { title: name } })),
      titles,
    )
  }
}

/** Repeats a request with its key at the nodes in turn, until it succeeds. */
async function withRetry(
  nodes: readonly Slugline[],
  home: number,
  run: Run,
  { path, method, key, body }: { path: string; method: string; key: string; body: unknown },
): Promise<unknown> {
  const headers = { 'Idempotency-Key': crypto.randomUUID() }
  for (let tries = 0; ; tries++) {
    if (run.failed) throw new Error('The run has ended')
    run.requests++
    if (tries > 0) run.repeated++
    try {
      const node = nodes[(home + tries) % nodes.length] as Slugline
      const answer = await node.call(method, `/api/v1${path}`, { key, body, headers })
      if (answer.ok) return await answer.json()
      const text = await answer.text()
      if (!REPEATED.has(answer.status)) throw new Unexpected(`${answer.status} ${text}`)
    } catch (error) {
      if (error instanceof Unexpected) throw error
    }
    await Bun.sleep(RETRY_MS * (1 + Math.random()))
  }
}

class Unexpected extends Error {}

interface Reader {
  mode: 'page' | 'stream'
  lines(): string[]
  kills(): number
  /** kill -9, and another start. */
  kill(): Promise<void>
  stop(): Promise<void>
}

function startReader(
  mode: Reader['mode'],
  file: string,
  nodes: readonly Slugline[],
  key: string,
): Reader {
  const script = join(import.meta.dir, 'events-reader.ts')
  const command = [process.execPath, '--no-env-file', script, mode, file]
  const start = (): Subprocess =>
    Bun.spawn([...command, ...nodes.map(({ url }) => url)], {
      env: { ...BASE_ENV, KEY: key },
      stdio: ['ignore', 'inherit', 'inherit'],
    })
  let child = start()
  let kills = 0
  const end = async () => {
    // One that ended without being killed has failed.
    if (child.exitCode !== null) throw new Error(`The reader by ${mode} ended: ${child.exitCode}`)
    child.kill('SIGKILL')
    await child.exited
  }
  return {
    mode,
    lines: () => {
      const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
      return text
        .slice(0, text.lastIndexOf('\n') + 1)
        .split('\n')
        .slice(0, -1)
    },
    kills: () => kills,
    async kill() {
      await end()
      kills++
      child = start()
    },
    stop: end,
  }
}

/** Kills at random moments, spread over the changes. */
async function killAtRandom(
  { nodes, redis, postgres }: TestCluster,
  readers: Record<'page' | 'stream', Reader>,
  run: Run,
  changes: number,
  kills: readonly EventsVictim[],
): Promise<void> {
  const moments = kills.map(() => (0.02 + 0.9 * Math.random()) * changes).sort((a, b) => a - b)
  for (const [i, victim] of kills.entries()) {
    while (run.answered < (moments[i] as number) && !run.failed) await Bun.sleep(5)
    if (run.failed) return
    if (victim === 'page' || victim === 'stream') {
      await readers[victim].kill()
    } else if (victim === 'node') {
      const node = nodes[Math.floor(Math.random() * nodes.length)] as Slugline
      await node.kill()
      await node.restart()
    } else if (victim === 'postgres') {
      await postgres.stop('crash')
      await postgres.start()
    } else {
      await redis.stop()
      await redis.start()
    }
  }
}

function countOf(kills: readonly EventsVictim[]): Record<EventsVictim, number> {
  const counts = { node: 0, redis: 0, postgres: 0, page: 0, stream: 0 }
  for (const victim of kills) counts[victim]++
  return counts
}

/** The title in a line: what the change was. */
const titleOf = (line: string) => line.slice(line.lastIndexOf(' ') + 1)

function missingOf(titles: readonly string[], lines: readonly string[]): number {
  const had = new Set(lines.map(titleOf))
  return titles.filter((title) => !had.has(title)).length
}

/** Compares a reader's lines, `sequence id title`, with the stored `sequence title`. */
function compare(lines: readonly string[], stored: readonly string[]) {
  const had = lines.map((line) => line.replace(/ \S+/, ''))
  const known = new Set(had)
  return {
    events: lines.length,
    twice: lines.length - new Set(lines.map((line) => line.split(' ')[1])).size,
    missing: stored.filter((line) => !known.has(line)).length,
    disordered: had.filter((line, i) => line !== stored[i] || Number.parseInt(line, 10) !== i + 1)
      .length,
  }
}
