import type { FilledRow } from '../../clicks/fill.ts'
import type { RawCounts } from '../../clicks/recount.ts'
import { isBefore, journalDirectory, listSegments, type Position } from '../../clicks/segments.ts'
import { systemClock } from '../../lib/base/clock.ts'
import { linesOf } from '../../lib/base/streams.ts'
import { openOwnStore } from '../engine/duckdb/store.ts'
import type { CountersLine, LinkNumbers, RecountHead } from '../engine/types.ts'
import type { GatherOptions } from '../ingest/gather.ts'
import { clicksUnavailable } from './clicks-unavailable.ts'
import { askStatistics } from './socket.ts'
import { stateOf } from './store-state.ts'

const WITHIN_MS = 30_000
const ASK_AGAIN_MS = 200
/** Reads all clicks, while no request waits for it. */
const FILL_WITHIN_MS = 3_600_000

/** Where a command reads links' numbers by their stored clicks. */
interface RawSource {
  /**
   * The numbers of links first ≤ seq < end, with the journal stored up to `atLeast`.
   * @throws Refused
   */
  numbers(range: readonly [number, number], atLeast: Position): Promise<RawCounts>
  /** What counters are filled with, as of a position in the journal. */
  counters(sinceDay: number, sinceMonth: number, take: (row: FilledRow) => void): Promise<Position>
  close(): Promise<void>
}

/**
 * Asks the statistics process while it runs; otherwise opens the file and stores the rest of the
 * journal first.
 * @throws Refused
 */
export async function openRawSource(options: {
  dataDir: string
  geoipDatabase: string | null
  counted?: GatherOptions['counted']
  /** For so long the process is waited for, if it is being started. */
  processWithinMs?: number
}): Promise<RawSource> {
  const { dataDir, processWithinMs = 0 } = options
  for (const end = Date.now() + processWithinMs; Date.now() < end; await Bun.sleep(ASK_AGAIN_MS)) {
    if (await isAnswering(dataDir)) return askProcess(dataDir)
  }
  for (const end = Date.now() + WITHIN_MS; ; ) {
    try {
      return await openFile(options)
    } catch (error) {
      const state = stateOf(error)
      if (state !== 'locked' || Date.now() > end) {
        throw clicksUnavailable(state, { cause: error })
      }
    }
    // The process has the file, and answers; or it is about to end, and the file is free soon.
    if (await isAnswering(dataDir)) return askProcess(dataDir)
    await Bun.sleep(ASK_AGAIN_MS)
  }
}

async function openFile(options: Parameters<typeof openRawSource>[0]): Promise<RawSource> {
  const { dataDir, geoipDatabase, counted } = options
  const { createEnricher } = await import('../../clicks/enrich/index.ts')
  const store = await openOwnStore(dataDir, {
    clock: systemClock,
    enrich: (record) => enricher.enrich(record),
    counted,
  })
  const enricher = createEnricher({ geoipDatabase })
  return {
    async numbers(range, atLeast) {
      const [oldest = 0] = listSegments(journalDirectory(dataDir))
      if (oldest > store.watermark.segment + 1) throw clicksUnavailable('incomplete')
      for (let complete = false; !complete && isBefore(store.watermark, atLeast); ) {
        complete = (await store.pass()).complete
      }
      const counts = await readNumbers(store.recount(range))
      if (isBefore(counts.position, atLeast)) throw clicksUnavailable('incomplete')
      return counts
    },
    counters: (sinceDay, sinceMonth, take) =>
      readCounters(store.counters(sinceDay, sinceMonth), take),
    async close() {
      enricher.close()
      store.close()
    },
  }
}

async function isAnswering(dataDir: string): Promise<boolean> {
  try {
    const { body } = await ask(dataDir, 'recount', [[0, 0]])
    await body?.cancel()
    return true
  } catch {
    return false
  }
}

async function ask(
  dataDir: string,
  question: 'counters' | 'recount',
  args: readonly unknown[],
  withinMs = WITHIN_MS,
): Promise<Response> {
  const signal = AbortSignal.timeout(withinMs)
  const answer = await askStatistics(dataDir, question, args, signal)
  if (!answer.ok) throw new Error(`The statistics process answers ${answer.status}`)
  return answer
}

function askProcess(dataDir: string): RawSource {
  return {
    async numbers(range, atLeast) {
      for (const end = Date.now() + WITHIN_MS; ; await Bun.sleep(ASK_AGAIN_MS)) {
        const { body } = await ask(dataDir, 'recount', [range])
        const counts = await readNumbers(body as ReadableStream<Uint8Array>)
        if (!isBefore(counts.position, atLeast)) return counts
        if (Date.now() > end) throw clicksUnavailable('behind')
      }
    },
    async counters(sinceDay, sinceMonth, take) {
      const { body } = await ask(dataDir, 'counters', [sinceDay, sinceMonth], FILL_WITHIN_MS)
      return await readCounters(body as ReadableStream<Uint8Array>, take)
    },
    close: async () => {},
  }
}

async function readCounters(
  body: ReadableStream<Uint8Array>,
  take: (row: FilledRow) => void,
): Promise<Position> {
  let position: Position | undefined
  let isWhole = false
  for await (const lines of linesOf(body)) {
    for (const line of lines) {
      const value = JSON.parse(line) as CountersLine
      if (Array.isArray(value)) take(value)
      else if (value === 'end') isWhole = true
      else position = { segment: value.segment, offset: value.offset }
    }
  }
  if (position === undefined || !isWhole) throw clicksUnavailable('failed')
  return position
}

async function readNumbers(body: ReadableStream<Uint8Array>): Promise<RawCounts> {
  const counts: RawCounts = { position: { segment: 0, offset: 0 }, since: 0, links: new Map() }
  for await (const lines of linesOf(body)) {
    for (const line of lines) {
      const value = JSON.parse(line) as RecountHead | LinkNumbers
      if (Array.isArray(value)) {
        const [link, human, bot, unique] = value
        counts.links.set(link, { human, bot, unique })
      } else {
        const { segment, offset, since } = value
        counts.position = { segment, offset }
        counts.since = since
      }
    }
  }
  return counts
}
