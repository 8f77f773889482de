import type { FilledRow, ReadStored } from '../../clicks/fill.ts'
import type { Position } from '../../clicks/segments.ts'
import { linesOf } from '../../lib/base/streams.ts'
import { migrateDuckDb } from '../engine/duckdb/migrate.ts'
import { ownerIn } from '../engine/duckdb/owner.ts'
import { countersOf } from '../engine/duckdb/recount.ts'
import { openMended } from '../engine/duckdb/torn-log.ts'
import type { CountersLine } from '../engine/types.ts'
import { statisticsFile } from './files.ts'
import { askStatistics } from './socket.ts'
import { stateOf } from './store-state.ts'

/** How long the file may be locked by a process that doesn't answer. */
const FREE_WITHIN_MS = 30_000
const RETRY_MS = 200
/** Reads all clicks, while no request waits for it. */
const READ_WITHIN_MS = 3_600_000

/**
 * What new counters are filled with: asks the statistics process while it runs, and otherwise opens the
 * file. Throws DuckDB's errors when that can't be opened.
 * @param processWithinMs for so long the process is waited for, if it is being started
 */
export function storedCounters(dataDir: string, processWithinMs: number): ReadStored {
  return async (sinceDay, sinceMonth, take) => {
    const begun = performance.now()
    for (;;) {
      const body = await askProcess(dataDir, [sinceDay, sinceMonth])
      if (body !== null) return await readLines(body, take)
      const waitedMs = performance.now() - begun
      if (waitedMs >= processWithinMs) {
        try {
          return await readFile(dataDir, (database) =>
            readLines(countersOf(database, sinceDay, sinceMonth), take),
          )
        } catch (error) {
          const isPatient = waitedMs < processWithinMs + FREE_WITHIN_MS
          if (stateOf(error) !== 'locked' || !isPatient) throw error
        }
      }
      // The process is about to answer, or to end.
      await Bun.sleep(RETRY_MS)
    }
  }
}

async function readFile<T>(
  dataDir: string,
  read: (database: Awaited<ReturnType<typeof openMended>>) => Promise<T>,
): Promise<T> {
  const owner = await ownerIn(dataDir)
  const database = await openMended(statisticsFile(dataDir), { owner })
  try {
    await migrateDuckDb(database)
    return await read(database)
  } finally {
    database.close()
  }
}

/** Null: it doesn't answer. */
async function askProcess(
  dataDir: string,
  args: readonly [sinceDay: number, sinceMonth: number],
): Promise<ReadableStream<Uint8Array> | null> {
  const signal = AbortSignal.timeout(READ_WITHIN_MS)
  const answer = await askStatistics(dataDir, 'counters', args, signal).catch(() => null)
  return answer?.ok ? answer.body : null
}

async function readLines(
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
  if (position === undefined || !isWhole) throw new Error('The stored clicks were not read whole')
  return position
}
