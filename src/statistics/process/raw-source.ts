import type { RawCounts } from '../../clicks/recount.ts'
import { journalDirectory, type Position } from '../../clicks/segments.ts'
import { createBatch } from '../store/batch.ts'
import { openStatistics } from '../store/duckdb.ts'
import { linkNumbers, type RecountHead } from '../store/recount.ts'
import { createClickWriter } from '../store/write.ts'
import { statisticsFile } from './files.ts'
import { ingest } from './ingest.ts'
import type { StoreState } from './messages.ts'
import { socketPath } from './socket.ts'
import { stateOf } from './store-state.ts'
import { linesOf } from './wire.ts'

/** Where a command takes the raw clicks' numbers from. */
export interface RawSource {
  /** Those of links first ≤ seq < end, as of `atLeast` or later. @throws RawClicksUnavailable */
  numbers(range: readonly [number, number], atLeast: Position): Promise<RawCounts>
  close(): Promise<void>
}

/** Why there are no raw clicks to hold anything against. */
export class RawClicksUnavailable extends Error {
  override name = 'RawClicksUnavailable'
  /** `incomplete`: clicks that are counted are missing; `behind`: they aren't stored in time. */
  constructor(
    readonly reason: Exclude<StoreState, 'ok' | 'opening'> | 'incomplete' | 'behind',
    options?: ErrorOptions,
  ) {
    super(`The raw clicks can not be used: ${reason}`, options)
  }
}

const WITHIN_MS = 30_000
const ASK_AGAIN_MS = 200

/**
 * The statistics process's while it runs; else the file itself, after storing what waits.
 * @throws RawClicksUnavailable
 */
export async function openRawSource(options: {
  dataDir: string
  geoipDatabase: string | null
}): Promise<RawSource> {
  const { dataDir } = options
  for (const end = Date.now() + WITHIN_MS; ; ) {
    try {
      return await openFile(dataDir, options.geoipDatabase)
    } catch (error) {
      const state = stateOf(error)
      if (state !== 'locked' || Date.now() > end) {
        throw new RawClicksUnavailable(state, { cause: error })
      }
    }
    // The process has it, so it is asked; or it is about to end, and the file is free soon.
    if (await answers(dataDir)) return asking(dataDir)
    await Bun.sleep(ASK_AGAIN_MS)
  }
}

async function openFile(dataDir: string, geoipDatabase: string | null): Promise<RawSource> {
  const database = await openStatistics(statisticsFile(dataDir))
  const { createEnricher } = await import('../enrich/index.ts')
  const enricher = createEnricher({ geoipDatabase })
  const writer = await createClickWriter(await database.connect())
  const batch = createBatch()
  return {
    async numbers(range, atLeast) {
      const directory = journalDirectory(dataDir)
      for (let complete = false; !complete && isBefore(writer.watermark, atLeast); ) {
        complete = (await ingest({ directory, writer, batch, enrich: enricher.enrich })).complete
      }
      const counts = await gather(linkNumbers(database, range))
      if (isBefore(counts.position, atLeast)) throw new RawClicksUnavailable('incomplete')
      return counts
    },
    async close() {
      enricher.close()
      database.close()
    },
  }
}

async function answers(dataDir: string): Promise<boolean> {
  try {
    const { body } = await ask(dataDir, [0, 0])
    await body?.cancel()
    return true
  } catch {
    return false
  }
}

async function ask(dataDir: string, range: readonly [number, number]): Promise<Response> {
  const answer = await fetch('http://statistics/recount', {
    unix: socketPath(dataDir),
    method: 'POST',
    body: JSON.stringify([range]),
    signal: AbortSignal.timeout(WITHIN_MS),
  })
  if (!answer.ok) throw new Error(`The statistics process answers ${answer.status}`)
  return answer
}

function asking(dataDir: string): RawSource {
  return {
    async numbers(range, atLeast) {
      for (const end = Date.now() + WITHIN_MS; ; await Bun.sleep(ASK_AGAIN_MS)) {
        const { body } = await ask(dataDir, range)
        const counts = await gather(body as ReadableStream<Uint8Array>)
        if (!isBefore(counts.position, atLeast)) return counts
        if (Date.now() > end) throw new RawClicksUnavailable('behind')
      }
    },
    close: async () => {},
  }
}

async function gather(body: ReadableStream<Uint8Array>): Promise<RawCounts> {
  const counts: RawCounts = { position: { segment: 0, offset: 0 }, since: 0, links: new Map() }
  for await (const line of linesOf(body)) {
    if (line.startsWith('{')) {
      const { segment, offset, since } = JSON.parse(line) as RecountHead
      counts.position = { segment, offset }
      counts.since = since
      continue
    }
    const [link, human, bot, unique] = JSON.parse(line) as number[]
    counts.links.set(link as number, {
      human: human as number,
      bot: bot as number,
      unique: unique as number,
    })
  }
  return counts
}

function isBefore(a: Position, b: Position): boolean {
  return a.segment < b.segment || (a.segment === b.segment && a.offset < b.offset)
}
