import { sql } from 'kysely'
import type { Position } from '../../../clicks/segments.ts'
import type { Storage, Transaction } from '../../../platform/storage/index.ts'
import { CLICK_COLUMNS } from '../../columns.ts'
import type { StoredClick } from '../../types.ts'
import { type ClickRow, rowOf } from '../shared/rows.ts'
import {
  NOTHING_SHIPPED,
  openShipping,
  type Shipping,
  type ShippingOptions,
  type ShippingState,
} from '../shared/shipping.ts'
import { daysOf, unsettleSql } from '../shared/summing.ts'

/** Clicks of one statement. */
const CLICKS_PER_STATEMENT = 4_096
/** The types of `clicks`, in the order of the columns; all others are text. */
const TYPES = ['int', 'bigint', 'bigint', 'bigint', 'bigint', 'smallint', 'boolean', 'int']

/**
 * Stores a node's journal in PostgreSQL. A batch and how far the journal is stored are committed
 * together, and only if no other process has come further: so each click is stored once, whatever
 * fails, and however many processes ship the same journal. @throws StorageUnavailable
 */
export function openPostgresShipping(
  options: { storage: Pick<Storage, 'read' | 'write'> } & Omit<ShippingOptions, 'load' | 'store'>,
): Promise<Shipping> {
  const { storage, nodeNo } = options
  return openShipping({
    ...options,
    load: () => readShipped(storage, nodeNo),
    store: (clicks, from, to) =>
      storage.write(async (tx) => {
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
        await storeClicks(tx, clicks)
        return true
      }),
  })
}

/** Stores clicks, and notes which finished days have got some. */
export async function storeClicks({ db }: Transaction, clicks: readonly StoredClick[]) {
  for (let at = 0; at < clicks.length; at += CLICKS_PER_STATEMENT) {
    await insertClicks(clicks.slice(at, at + CLICKS_PER_STATEMENT)).execute(db)
  }
  const finished = daysOf(clicks)
  if (finished.length > 0) await sql.raw(unsettleSql(finished)).execute(db)
}

/** Adds clicks to the table: one parameter a column, however many clicks. */
export function insertClicks(clicks: readonly StoredClick[]) {
  const rows = clicks.map(rowOf)
  const arrays = CLICK_COLUMNS.map((_, i) => {
    const values: ClickRow = rows.map((row) => row[i] ?? null)
    return sql`${values}::${sql.raw(TYPES[i] ?? 'text')}[]`
  })
  return sql`INSERT INTO clicks (${sql.raw(CLICK_COLUMNS.join(', '))})
    SELECT * FROM unnest(${sql.join(arrays)})`
}

async function readShipped(storage: Pick<Storage, 'read'>, nodeNo: number): Promise<ShippingState> {
  type Row = Position & Pick<ShippingState, 'batches' | 'newest'>
  const { rows } = await sql<Row>`SELECT segment, "offset", batches, newest FROM click_shipping
    WHERE node_no = ${nodeNo}`.execute(storage.read.db)
  if (rows[0] === undefined) return NOTHING_SHIPPED
  const { batches, newest, ...at } = rows[0]
  return { at, pending: null, batches, newest, since: 0 }
}
