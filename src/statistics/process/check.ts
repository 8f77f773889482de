import { checkFile } from '../engine/duckdb/check.ts'
import { openDuckDb } from '../engine/duckdb/index.ts'
import { ownerIn } from '../engine/duckdb/owner.ts'
import type { StoredFacts } from '../engine/types.ts'
import { statisticsFile } from './files.ts'
import { askStatistics } from './socket.ts'
import { stateOf } from './store-state.ts'

/** How often, and for how long each time, the process that has the file open is asked. */
const TRIES = 6
const READ_WITHIN_MS = 120_000
const RETRY_MS = 500

/**
 * Reads the whole statistics file. Only the process that has it open can read it, so that one is asked.
 * @returns null: the process doesn't answer
 * @throws what is wrong with the file; OperatorError if it is another instance's
 */
export async function checkStatistics(dataDir: string): Promise<StoredFacts | null> {
  const file = statisticsFile(dataDir)
  const owner = await ownerIn(dataDir)
  for (let tries = 0; tries < TRIES; tries++) {
    try {
      const database = await openDuckDb(file, { readonly: true, owner })
      return await checkFile(database).finally(database.close)
    } catch (error) {
      if (stateOf(error) !== 'locked') throw error
    }
    const signal = AbortSignal.timeout(READ_WITHIN_MS)
    const answer = await askStatistics(dataDir, 'check', [], signal).catch(() => null)
    if (answer?.ok) return (await answer.json()) as StoredFacts
    if (answer?.status === 500) throw new Error(`${file} can't be read whole`)
    // It is starting or about to end.
    await Bun.sleep(RETRY_MS)
  }
  return null
}
