import { join } from 'node:path'
import { replaceFile } from '../../../lib/base/replace-file.ts'
import { openSqlite } from '../../../platform/storage/index.ts'
import { CLICK_COLUMNS } from '../../columns.ts'
import { PER_NODE } from '../../ingest/numbering.ts'
import type { StoredClick } from '../../types.ts'
import { rowOf } from '../shared/rows.ts'
import {
  NOTHING_SHIPPED,
  openShipping,
  type Shipping,
  type ShippingOptions,
  type ShippingState,
} from '../shared/shipping.ts'
import { daysOf } from '../shared/summing.ts'
import type { ClickHouse } from './client.ts'
import { unsettle } from './summing.ts'

/**
 * Stores a node's journal in ClickHouse, which has no transactions. The end of a batch is synced to
 * the node's disk before the batch is sent, so the next attempt sends the same clicks. It leaves out
 * those that are stored already; the token makes ClickHouse ignore an insert that is still running
 * from an earlier attempt. So each click is stored once, whenever a node or ClickHouse fails. One
 * process ships a journal at a time.
 * @throws when another one does
 */
export async function openClickHouseShipping(
  options: {
    clickHouse: ClickHouse
    dataDir: string
    node: { id: string; no: number }
  } & Pick<ShippingOptions, 'directory' | 'enrich' | 'counted' | 'limit'>,
): Promise<Shipping> {
  const { clickHouse, dataDir, node } = options
  const path = join(dataDir, 'shipping')
  const file = Bun.file(path)
  /** Survives a power failure when it returns. */
  const keep = (state: ShippingState) => replaceFile(path, JSON.stringify(state))
  // Before the state is read: an earlier process may be about to end with a batch.
  const unlock = lockShipping(dataDir)
  try {
    return await openShipping({
      ...options,
      nodeNo: node.no,
      load: async () => ((await file.exists()) ? await file.json() : NOTHING_SHIPPED),
      async store(clicks, from, to) {
        if (from.pending === null) keep({ ...from, pending: to.at })
        const missing =
          from.pending === null ? clicks : await notStored(clickHouse, node.no, clicks)
        await insertClicks(clickHouse, missing, `${node.id}:${from.at.segment}:${from.at.offset}`)
        await unsettle(clickHouse, daysOf(clicks))
        keep(to)
        return true
      },
      close: unlock,
    })
  } catch (error) {
    unlock()
    throw error
  }
}

async function insertClicks(
  clickHouse: ClickHouse,
  clicks: readonly StoredClick[],
  token: string,
): Promise<void> {
  if (clicks.length === 0) return
  const lines = clicks.values().map((click) => `${JSON.stringify(rowOf(click))}\n`)
  await clickHouse.insert('clicks', CLICK_COLUMNS, 'JSONCompactEachRow', lines, {
    insert_deduplicate: 1,
    insert_deduplication_token: token,
    // One block, which is one part a month: a token covers each of them.
    max_insert_block_size: '4194304',
    min_insert_block_size_rows: '4194304',
    min_insert_block_size_bytes: '0',
    max_partitions_per_insert_block: '0',
    input_format_parallel_parsing: 0,
    async_insert: 0,
    wait_end_of_query: 1,
  })
}

/** The clicks of a batch that an earlier attempt has not stored. */
async function notStored(
  clickHouse: ClickHouse,
  nodeNo: number,
  clicks: readonly StoredClick[],
): Promise<readonly StoredClick[]> {
  const times = clicks.map(({ time }) => time)
  const rows = await clickHouse.rows(
    `SELECT time, n FROM clicks
     WHERE time IN (${[...new Set(times)].join(',') || 'NULL'})
       AND n >= ${nodeNo * PER_NODE} AND n < ${(nodeNo + 1) * PER_NODE}`,
  )
  const stored = new Set(rows.map(([time, n]) => `${time}-${n}`))
  return clicks.filter(({ time, n }) => !stored.has(`${time}-${n}`))
}

/** `process/store-state.ts` recognises this text. */
const LOCKED = 'Could not set lock: another process ships this journal'

/**
 * Reserves the shipping of a data directory for this process. The operating system holds the lock,
 * through an SQLite file, so it ends with the process.
 * @returns what releases it @throws when another process has it
 */
function lockShipping(dataDir: string): () => void {
  const { raw, close } = openSqlite(join(dataDir, 'shipping.lock'))
  try {
    raw.run('PRAGMA busy_timeout = 0')
    raw.run('BEGIN IMMEDIATE')
  } catch (cause) {
    close()
    throw new Error(LOCKED, { cause })
  }
  return close
}
