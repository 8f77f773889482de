import type { ClickRecord } from '../../clicks/record.ts'
import { gather, isSame } from '../shared/gather.ts'
import type { Shipping, Stored } from '../shared/node.ts'
import { numberClicks } from '../shared/numbering.ts'
import { type Batch, createBatch } from '../store/batch.ts'
import type { Click } from '../types.ts'
import type { ClickHouse } from './client.ts'
import { createRowWriter } from './rows.ts'
import { COLUMNS } from './schema.ts'
import { lockShipping } from './shipping-lock.ts'
import {
  readShippingState,
  type ShippingState,
  shippingFile,
  writeShippingState,
} from './shipping-state.ts'
import { storedMonths } from './stored.ts'

/** Lines given to the connection at once. */
const LINES_AT_ONCE = 1_000

/** What {@link createShipping} works with. */
export interface ShippingOptions {
  clickHouse: ClickHouse
  dataDir: string
  /** The journal's. */
  directory: string
  node: { id: string; no: number }
  enrich(record: ClickRecord): Click
  stored?: Stored
  /** Clicks of one batch at most. */
  capacity?: number
}

/**
 * Before a batch is sent, its end is written down and synced, so that whoever comes next sends the
 * very same clicks again. ClickHouse refuses what it was sent with the same token a moment before,
 * even if that is still under way; and a batch that an earlier process began, perhaps days ago, is
 * looked for first: each month's part of it is stored wholly or not at all. So nothing is stored
 * twice, whenever a node or ClickHouse dies. One process ships a journal at a time. When a pass
 * rejects, some of its batch may be stored: opened anew, it sends the same batch first.
 * @throws when another one does
 */
export function createShipping(options: ShippingOptions): Shipping {
  const { clickHouse, dataDir, directory, node, enrich, stored, capacity } = options
  const file = shippingFile(dataDir)
  // Before anything is read: an elder process may be about to end with what it has begun.
  const unlock = lockShipping(dataDir)
  const write = createRowWriter()
  let state = readShippingState(file)
  let batch: Batch | undefined

  function save(next: ShippingState): void {
    writeShippingState(file, next)
    state = next
  }

  async function send(clicks: Batch, numbers: Float64Array, isAgain: boolean): Promise<void> {
    if (clicks.size === 0) return
    const done = isAgain ? await storedMonths(clickHouse, clicks, numbers) : null
    const lines = linesOf(clicks, numbers, write, done)
    if (lines.length === 0) return
    await clickHouse.insert('clicks', COLUMNS, lines, {
      insert_deduplicate: 1,
      insert_deduplication_token: `${node.id}:${state.at.segment}:${state.at.offset}`,
      // One block, which is one part a month: stored wholly or not at all.
      max_insert_block_size: '4194304',
      min_insert_block_size_rows: '4194304',
      min_insert_block_size_bytes: '0',
      max_partitions_per_insert_block: '0',
      input_format_parallel_parsing: 0,
      async_insert: 0,
      wait_end_of_query: 1,
    })
  }

  return {
    get watermark() {
      return state.at
    },
    async pass() {
      batch ??= createBatch(capacity)
      batch.clear()
      const { at, pending, batches, newest } = state
      const isAgain = pending !== null
      const { end, skipped, complete } = await gather({
        directory,
        enrich,
        into: batch,
        from: at,
        until: pending,
      })
      if (isSame(end, at)) return { records: 0, skipped, complete, upTo: 0 }
      if (!isAgain) save({ ...state, pending: end })
      const numbers = numberClicks(batch, { nodeNo: node.no, batches, newest })
      await send(batch, numbers, isAgain)
      const upTo = batch.latest
      save({ at: end, pending: null, batches: batches + 1, newest: Math.max(newest, upTo) })
      stored?.(batch, numbers)
      const records = batch.size
      batch.clear()
      return { records, skipped, complete: complete && !isAgain, upTo }
    },
    rest() {
      batch = undefined
    },
    close: unlock,
  }
}

/** Lines of all clicks but those of months that are stored, some at a time. */
function linesOf(
  batch: Batch,
  numbers: Float64Array,
  write: (batch: Batch, at: number, number: number) => string,
  done: ((time: number) => boolean) | null,
): string[] {
  const chunks: string[] = []
  let chunk = ''
  let lines = 0
  for (let at = 0; at < batch.size; at++) {
    if (done?.(batch.time[at] as number)) continue
    chunk += write(batch, at, numbers[at] as number)
    if (++lines < LINES_AT_ONCE) continue
    chunks.push(chunk)
    chunk = ''
    lines = 0
  }
  if (chunk !== '') chunks.push(chunk)
  return chunks
}
