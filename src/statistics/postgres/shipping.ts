import { sql } from 'kysely'
import type { ClickRecord } from '../../clicks/record.ts'
import type { Position } from '../../clicks/segments.ts'
import type { Storage } from '../../storage/index.ts'
import { gather, isSame } from '../shared/gather.ts'
import type { Shipping, Stored } from '../shared/node.ts'
import { numberClicks } from '../shared/numbering.ts'
import { type Batch, createBatch } from '../store/batch.ts'
import type { Click } from '../types.ts'
import { createColumnWriter, insertClicks } from './rows.ts'

/** Clicks of one transaction: a second's work of PostgreSQL, or two. */
const CAPACITY = 65_536
/** Clicks of one statement. */
const CLICKS_AT_ONCE = 4_096

/** How far a node's journal is stored. */
interface Shipped {
  at: Position
  /** Batches that were stored so far. */
  batches: number
  /** Time of the newest click that was stored, in milliseconds; 0: none was. */
  newest: number
}

/** What {@link openShipping} works with. */
export interface ShippingOptions {
  storage: Pick<Storage, 'read' | 'write'>
  /** The journal's. */
  directory: string
  nodeNo: number
  enrich(record: ClickRecord): Click
  stored?: Stored
  /** Clicks of one batch at most. */
  capacity?: number
}

/**
 * Stores a node's journal in PostgreSQL. A batch and how far the journal is stored are committed
 * together, and only if nobody else has come further since: so each click is stored once, whatever
 * dies, and whoever else ships the same journal. @throws StorageUnavailable
 */
export async function openShipping(options: ShippingOptions): Promise<Shipping> {
  const { storage, directory, nodeNo, enrich, stored, capacity = CAPACITY } = options
  const write = createColumnWriter()
  let state: Shipped | undefined = await readShipped(storage, nodeNo)
  let watermark = state.at
  let batch: Batch | undefined

  /** False: the journal isn't stored up to where the batch begins, or further. */
  function store(clicks: Batch, numbers: Float64Array, from: Shipped, to: Shipped) {
    return storage.write(async (tx) => {
      const moved = await sql`
        INSERT INTO click_shipping (node_no, segment, "offset", batches, newest)
        VALUES (${nodeNo}, ${to.at.segment}, ${to.at.offset}, ${to.batches}, ${to.newest})
        ON CONFLICT (node_no) DO UPDATE SET segment = excluded.segment,
          "offset" = excluded."offset", batches = excluded.batches, newest = excluded.newest
        WHERE click_shipping.segment = ${from.at.segment}
          AND click_shipping."offset" = ${from.at.offset}
          AND click_shipping.batches = ${from.batches}
        RETURNING batches`.execute(tx.db)
      if (moved.rows.length === 0) return false
      for (let at = 0; at < clicks.size; at += CLICKS_AT_ONCE) {
        const some = write(clicks, numbers, at, Math.min(at + CLICKS_AT_ONCE, clicks.size))
        await insertClicks(some).execute(tx.db)
      }
      return true
    })
  }

  return {
    get watermark() {
      return watermark
    },
    async pass() {
      state ??= await readShipped(storage, nodeNo)
      const from = state
      watermark = from.at
      batch ??= createBatch(capacity)
      batch.clear()
      const { end, skipped, complete } = await gather({
        directory,
        enrich,
        into: batch,
        from: from.at,
      })
      if (isSame(end, from.at)) return { records: 0, skipped, complete, upTo: 0 }
      const upTo = batch.latest
      const numbers = numberClicks(batch, { nodeNo, ...from })
      const to = { at: end, batches: from.batches + 1, newest: Math.max(from.newest, upTo) }
      // Whatever happens now: only the database knows whether it has it.
      state = undefined
      const isStored = await store(batch, numbers, from, to)
      if (!isStored) {
        batch.clear()
        return { records: 0, skipped: 0, complete: false, upTo: 0 }
      }
      state = to
      watermark = end
      stored?.(batch, numbers)
      const records = batch.size
      batch.clear()
      return { records, skipped, complete, upTo }
    },
    rest() {
      batch = undefined
    },
    close() {},
  }
}

async function readShipped(storage: Pick<Storage, 'read'>, nodeNo: number): Promise<Shipped> {
  const { rows } = await sql<{
    segment: number
    offset: number
    batches: number
    newest: number
  }>`SELECT segment, "offset", batches, newest FROM click_shipping
    WHERE node_no = ${nodeNo}`.execute(storage.read.db)
  const [{ segment, offset, batches, newest } = NOTHING] = rows
  return { at: { segment, offset }, batches, newest }
}

const NOTHING = { segment: 0, offset: 0, batches: 0, newest: 0 }

/** The newest segment of a node's journal of which something is stored. */
export async function lastStoredSegment(
  storage: Pick<Storage, 'read'>,
  nodeNo: number,
): Promise<number> {
  return (await readShipped(storage, nodeNo)).at.segment
}
