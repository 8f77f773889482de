import type { Position } from '../../clicks/segments.ts'
import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import { type Batch, dayOf, slotOf } from './batch.ts'
import { CHUNK_ROWS, columnBytes, createChunkWriter } from './chunk.ts'
import type { StatisticsConnection } from './duckdb.ts'
import {
  BIGINT,
  BOOLEAN,
  INTEGER,
  LIST,
  UBIGINT,
  UINTEGER,
  USMALLINT,
  UTINYINT,
  VARCHAR,
} from './duckdb.ts'
import { createFirsts, FIRST_COLUMNS, textHashSql } from './firsts.ts'
import { dropRollUps } from './rollups.ts'
import { LISTS, SLOT_MS, SLOTS_PER_DAY, TEXT_COLUMNS } from './schema.ts'

/** Chunks that are filled before others get the event loop. */
const CHUNKS_AT_A_TIME = 4

/** From where on all clicks are in the file: those of segments before it were deleted unread. */
export interface Origin {
  segment: number
  /** Milliseconds since the Unix epoch. */
  since: number
}

/** Writes batches, each with the watermark that says so, or not at all. */
export interface ClickWriter {
  /** Up to where the journal is stored. */
  readonly watermark: Position
  /** Time from which all clicks are in the file, in milliseconds since the Unix epoch; 0: all of them. */
  readonly since: number
  /**
   * Numbers the clicks, works out whose first they are, and commits them together with `to`.
   * After an error nothing of them is stored. `origin`: what came before is missing.
   */
  write(batch: Batch, to: Position, origin?: Origin): Promise<void>
  /** Clicks were changed by somebody else: what is known of firsts is read anew. */
  forgetFirsts(): void
}

const COLUMN_TYPES = [
  BIGINT,
  INTEGER,
  UINTEGER,
  UINTEGER,
  UBIGINT,
  USMALLINT,
  UTINYINT,
  UTINYINT,
  BOOLEAN,
  INTEGER,
  ...TEXT_COLUMNS.map((name) => (LISTS[name] === undefined ? VARCHAR : LIST(VARCHAR))),
]
const FIRST_TEXT_COLUMN = 10

/** The stored firsts of some visitors on some days; their texts only where they are needed. */
const STORED_FIRSTS = `SELECT link, slot, visitor, firsts, ${FIRST_COLUMNS.map(
  ([column, bit]) =>
    `CASE WHEN firsts & ${bit} = 0 THEN 0::UBIGINT ELSE ${textHashSql(column)} END`,
).join(', ')}
  FROM clicks WHERE slot >= ? AND slot < ? AND firsts <> 0
  AND visitor IN (SELECT visitor FROM batch_visitors)`

/** `connection` is the writer's own. */
export async function createClickWriter(connection: StatisticsConnection): Promise<ClickWriter> {
  const { raw } = connection
  await connection.run('CREATE OR REPLACE TEMP TABLE batch_visitors (visitor UBIGINT NOT NULL)')
  const [mark] = await connection.all<{ segment: bigint; offset: bigint }>(
    'SELECT segment, "offset" FROM watermark',
  )
  let watermark: Position = {
    segment: Number(mark?.segment ?? 0),
    offset: Number(mark?.offset ?? 0),
  }
  let newest = await newestTime(connection)
  const [began] = await connection.all<{ since: bigint }>('SELECT since FROM origin')
  let since = Number(began?.since ?? 0)
  const firsts = createFirsts()
  const chunks = createChunkWriter(COLUMN_TYPES)
  const visitors = createChunkWriter([UBIGINT])
  const slots = new Int32Array(CHUNK_ROWS)
  const millis = new Uint32Array(CHUNK_ROWS)

  /** Numbers clicks of one millisecond, after those of it that are stored. */
  async function number(batch: Batch): Promise<void> {
    const next = new Map<number, number>()
    if (batch.earliest <= newest) {
      const rows = await connection.all<{ slot: number; ms: number; last: number }>(
        `SELECT slot, ms, max(n) AS last FROM clicks
         WHERE slot > ? OR (slot = ? AND ms >= ?) GROUP BY slot, ms`,
        [slotOf(batch.earliest), slotOf(batch.earliest), batch.earliest % SLOT_MS],
      )
      for (const { slot, ms, last } of rows) next.set(slot * SLOT_MS + ms, last + 1)
    }
    const { size, time, n } = batch
    for (let at = 0; at < size; at++) {
      const moment = time[at] as number
      const no = next.get(moment) ?? 0
      n[at] = no
      next.set(moment, no + 1)
    }
  }

  async function appendVisitors(batch: Batch): Promise<void> {
    await connection.run('DELETE FROM batch_visitors')
    const appender = await raw.createAppender('batch_visitors', null, 'temp')
    const present = new BigUint64Array(CHUNK_ROWS)
    let rows = 0
    const flush = () => {
      if (rows === 0) return
      visitors.begin(rows)
      visitors.numbers(0, present)
      appender.appendDataChunk(visitors.chunk)
      rows = 0
    }
    for (let at = 0; at < batch.size; at++) {
      if (batch.seen[at] === 0) continue
      present[rows++] = batch.visitor[at] as bigint
      if (rows === CHUNK_ROWS) flush()
    }
    flush()
    appender.closeSync()
  }

  /** Makes sure that all firsts of the batch's visitors on its days are known. */
  async function learnFirsts(batch: Batch): Promise<void> {
    const from = startOfDay(slotOf(batch.earliest))
    const to = startOfDay(slotOf(batch.latest)) + SLOTS_PER_DAY
    if (firsts.knowsFrom(dayOf(from))) return
    // Days of which nothing is stored yet: all that will be passes here.
    if (slotOf(newest) < from) return firsts.beginAt(dayOf(from))
    firsts.forget()
    await appendVisitors(batch)
    const result = await raw.stream(STORED_FIRSTS, [from, to])
    for (;;) {
      const chunk = await result.fetchChunk()
      if (chunk === null || chunk.rowCount === 0) return
      firsts.tell({
        rows: chunk.rowCount,
        link: new Uint32Array(columnBytes(chunk, 0, 8)),
        slot: new Int32Array(columnBytes(chunk, 1, 4)),
        visitor: new Uint32Array(columnBytes(chunk, 2, 8)),
        firsts: new Uint16Array(columnBytes(chunk, 3, 2)),
        texts: FIRST_COLUMNS.map((_, i) => new Uint32Array(columnBytes(chunk, 4 + i, 8))),
      })
    }
  }

  async function append(batch: Batch): Promise<void> {
    const appender = await raw.createAppender('clicks')
    for (let start = 0, chunk = 0; start < batch.size; start += CHUNK_ROWS, chunk++) {
      const rows = Math.min(CHUNK_ROWS, batch.size - start)
      for (let row = 0; row < rows; row++) {
        const moment = batch.time[start + row] as number
        const slot = slotOf(moment)
        slots[row] = slot
        millis[row] = moment - slot * SLOT_MS
      }
      chunks.begin(rows)
      chunks.bigints(0, batch.link, start)
      chunks.numbers(1, slots)
      chunks.numbers(2, millis)
      chunks.numbers(3, batch.n, start)
      chunks.numbers(4, batch.visitor, start)
      chunks.valid(4, batch.seen, start)
      chunks.numbers(5, batch.firsts, start)
      chunks.numbers(6, batch.firstSlot, start)
      chunks.valid(6, batch.seen, start)
      chunks.numbers(7, batch.kind, start)
      chunks.numbers(8, batch.qr, start)
      chunks.numbers(9, batch.domain, start)
      TEXT_COLUMNS.forEach((name, i) => {
        const column = FIRST_TEXT_COLUMN + i
        if (LISTS[name] === undefined) chunks.text(column, batch.text[name], start)
        else chunks.list(column, batch.text[name], start)
      })
      appender.appendDataChunk(chunks.chunk)
      if (chunk % CHUNKS_AT_A_TIME === CHUNKS_AT_A_TIME - 1) await turn()
    }
    appender.closeSync()
  }

  /** What rolls up days that get more clicks isn't true any more. */
  async function dropOutdated(batch: Batch): Promise<void> {
    const [row] = await connection.all<{ end: number | null }>(
      'SELECT max(block + days)::INTEGER AS end FROM rolled',
    )
    const end = row?.end ?? 0
    if (dayOf(slotOf(batch.earliest)) >= end) return
    const late = new Set<string>()
    for (let at = 0; at < batch.size; at++) {
      const day = dayOf(slotOf(batch.time[at] as number))
      if (day >= end) continue
      late.add(`(${Math.floor((batch.link[at] as number) / SEQS_PER_WORKSPACE)}, ${day})`)
    }
    const days = `SELECT * FROM (VALUES ${[...late].join(', ')}) AS late (workspace, day)`
    await dropRollUps(connection, days)
  }

  async function setOrigin({ segment, since: time }: Origin): Promise<void> {
    await connection.run('DELETE FROM origin')
    await connection.run('INSERT INTO origin VALUES (?, ?)', [BigInt(segment), BigInt(time)])
  }

  async function setWatermark(to: Position): Promise<void> {
    await connection.run('DELETE FROM watermark')
    await connection.run('INSERT INTO watermark VALUES (?, ?)', [
      BigInt(to.segment),
      BigInt(to.offset),
    ])
  }

  return {
    get watermark() {
      return watermark
    },
    get since() {
      return since
    },
    forgetFirsts: firsts.forget,
    async write(batch, to, origin) {
      await connection.run('BEGIN')
      try {
        if (batch.size > 0) {
          await dropOutdated(batch)
          await number(batch)
          await learnFirsts(batch)
          firsts.mark(batch)
          await connection.use(() => append(batch))
        }
        if (origin !== undefined) await setOrigin(origin)
        await setWatermark(to)
        await connection.run('COMMIT')
      } catch (error) {
        await connection.run('ROLLBACK').catch(() => {})
        // It holds what was not stored.
        firsts.forget()
        throw error
      }
      watermark = to
      since = origin?.since ?? since
      newest = Math.max(newest, batch.latest)
    },
  }
}

/** Milliseconds since the epoch of the latest click; 0 when there is none. */
async function newestTime(connection: StatisticsConnection): Promise<number> {
  const [row] = await connection.all<{ slot: number | null; ms: number | null }>(
    `SELECT max(slot) AS slot, max(ms) AS ms FROM clicks
     WHERE slot = (SELECT max(slot) FROM clicks)`,
  )
  return row?.slot == null ? 0 : row.slot * SLOT_MS + (row.ms ?? 0)
}

function startOfDay(slot: number): number {
  return slot - (slot % SLOTS_PER_DAY)
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
