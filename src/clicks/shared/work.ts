import type { Clock } from '../../base/clock.ts'
import type { Storage } from '../../storage/index.ts'
import { readJournal } from '../segment-reader.ts'
import { journalDirectory, type Position } from '../segments.ts'
import { createTally } from '../tally.ts'
import type { ClickWork } from '../worker.ts'
import { createSharedCounters } from './counters.ts'

/**
 * One batch: links and visitors, and bytes of the journal, at most. Its transaction holds the rows of
 * its links locked, so it must not take seconds.
 */
const BATCH = { size: 100_000, bytes: 67_108_864 }
const ADMITTED_AT_ONCE = 20_000
const SWEPT_AT_ONCE = 2_000
/** So often, at most, PostgreSQL is asked whether there is something to keep in order. */
const UPKEEP_EVERY_MS = 1_000

/** What {@link openSharedClickWork} works with. */
export interface SharedClickWorkOptions {
  dataDir: string
  nodeNo: number
  storage: Pick<Storage, 'read' | 'write' | 'close'>
  clock: Clock
}

/** Counts this node's journal into the counters of all nodes. Takes the storage over. */
export async function openSharedClickWork(options: SharedClickWorkOptions): Promise<ClickWork> {
  const { dataDir, nodeNo, storage, clock } = options
  const directory = journalDirectory(dataDir)
  const counters = createSharedCounters(storage, nodeNo)
  let watermark: Position | undefined
  let countedUpTo = 0
  let skipped = 0
  let gone: number[] = []
  let keptAt = Number.NEGATIVE_INFINITY
  let hasMore = false

  async function count(): Promise<{ records: number; complete: boolean; at: Position }> {
    const from = watermark ?? (await counters.watermark())
    const tally = createTally()
    const goesOn = ({ bytes }: { bytes: number }) => tally.size < BATCH.size && bytes < BATCH.bytes
    let newest = countedUpTo
    const reading = readJournal(directory, from, goesOn, (record) => {
      tally.add(record)
      if (record[1] > newest) newest = record[1]
    })
    const { end, records, complete } = reading
    if (end.segment === from.segment && end.offset === from.offset) {
      return { records: 0, complete, at: from }
    }
    // Whatever happens now: only the database knows whether it has it.
    watermark = undefined
    if (!(await counters.apply(tally, from, end))) {
      const at = await counters.watermark()
      watermark = at
      return { records: 0, complete: false, at }
    }
    watermark = end
    countedUpTo = newest
    skipped += reading.skipped
    return { records, complete, at: end }
  }

  /** New links get their rows, deleted ones lose theirs. True: there are more. */
  async function keepOrder(): Promise<boolean> {
    const now = performance.now()
    if (now - keptAt < UPKEEP_EVERY_MS && gone.length === 0 && !hasMore) return false
    keptAt = now
    const told = gone
    gone = []
    hasMore = await counters.admit(ADMITTED_AT_ONCE)
    await counters.sweep(SWEPT_AT_ONCE, told)
    await counters.purge(clock.now())
    return hasMore
  }

  return {
    async pass() {
      const { records, complete, at } = await count()
      const more = await keepOrder()
      return { records, more: more || !complete, watermark: at, countedUpTo }
    },
    forget: (seqs) => void gone.push(...seqs),
    get skipped() {
      return skipped
    },
    close: () => storage.close(),
  }
}
