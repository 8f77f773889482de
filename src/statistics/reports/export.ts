import type { StatisticsConnection, StatisticsDatabase } from '../store/duckdb.ts'
import { SLOT_MS, TEXT_COLUMNS } from '../store/schema.ts'
import type { ExportFormat, Selection } from '../types.ts'
import { createForm } from './form.ts'
import { ask, readRows, whileAsked } from './lane.ts'
import type { LinkFacts } from './names.ts'
import { createParquet } from './parquet.ts'
import { meant } from './source.ts'
import { raw, type Sql, sql } from './sql.ts'
import { storedNow } from './stored-now.ts'

/** Clicks put in order at once: some tens of megabytes. */
const CLICKS_PER_PART = 120_000
/** Chunks (of 2,048 clicks) between two collections of garbage: some 10 MB. */
const CHUNKS_PER_COLLECTION = 10
/** Ids of links that are remembered. */
const NAMES_REMEMBERED = 50_000
const COLUMNS = raw(
  `slot, ms, n, link, domain, kind, qr, ${TEXT_COLUMNS.map((name) => `"${name}"`).join(', ')}`,
)

/**
 * Writes exports, oldest click first, of the clicks that are stored when they begin. Each has a
 * connection of its own, and no transaction: it may take minutes, and one would keep the file from
 * giving space back so long. Clicks are stored in the order of their time, so that the newest one's
 * is a mark behind which all else came later.
 */
export function createExport(
  database: Pick<StatisticsDatabase, 'connect' | 'file' | 'releaseMemory'>,
  names: LinkFacts,
) {
  const writeParquet = createParquet(database, names)
  return (selection: Selection, format: ExportFormat, signal?: AbortSignal) => {
    const leaving = new AbortController()
    const until = signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal])
    const parts =
      format === 'parquet' ? writeParquet(selection, until) : lines(selection, format, until)
    return new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const { done, value } = await parts.next()
          if (done) controller.close()
          else controller.enqueue(value)
        },
        async cancel(reason) {
          leaving.abort(reason)
          await parts.return(undefined)
        },
      },
      { highWaterMark: 0 },
    )
  }

  async function* lines(
    selection: Selection,
    format: 'csv' | 'ndjson',
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, undefined> {
    const connection = await database.connect()
    try {
      const encoder = new TextEncoder()
      const form = createForm(format, await names.domains())
      const ids = new Map<number, string | undefined>()
      let chunks = 0
      const stored = await storedNow(connection, selection, signal)
      if (form.head !== '') yield encoder.encode(form.head)
      for (const part of await partsOf(connection, stored, signal)) {
        // What was read for the part before is not asked for again.
        await database.releaseMemory()
        const result = await whileAsked(connection, signal, () => ask(connection, query(part)))
        for (;;) {
          const chunk = await whileAsked(connection, signal, () => result.fetchChunk())
          if (chunk === null || chunk.rowCount === 0) break
          const rows = chunk.getRows()
          await learn(ids, rows)
          yield encoder.encode(form.lines(rows, ids))
          // Chunks and bytes lie outside of the heap, whose collector doesn't see that they add up.
          if (++chunks % CHUNKS_PER_COLLECTION === 0) Bun.gc(true)
        }
      }
    } finally {
      connection.close()
    }
    return undefined
  }

  async function learn(ids: Map<number, string | undefined>, rows: unknown[][]): Promise<void> {
    const seqs = new Set<number>()
    for (const row of rows) {
      const seq = Number(row[3])
      if (!ids.has(seq)) seqs.add(seq)
    }
    if (seqs.size === 0) return
    if (ids.size > NAMES_REMEMBERED) {
      ids.clear()
      for (const row of rows) seqs.add(Number(row[3]))
    }
    const found = await names.links([...seqs])
    for (const seq of seqs) ids.set(seq, found.get(seq))
  }
}

/** Consecutive ranges of time with about as many clicks as are put in order at once. */
async function partsOf(
  connection: StatisticsConnection,
  selection: Selection,
  signal: AbortSignal,
): Promise<Selection[]> {
  const slots = await readRows(
    connection,
    sql`SELECT slot, count(*) FROM clicks WHERE ${meant(selection)} GROUP BY slot ORDER BY slot`,
    signal,
  )
  const parts: Selection[] = []
  let from = selection.from
  let gathered = 0
  for (const [slot, count] of slots) {
    const start = Number(slot) * SLOT_MS
    if (gathered > 0 && gathered + Number(count) > CLICKS_PER_PART && start > from) {
      parts.push({ ...selection, from, to: start })
      from = start
      gathered = 0
    }
    gathered += Number(count)
  }
  parts.push({ ...selection, from })
  return parts
}

function query(part: Selection): Sql {
  return sql`SELECT ${COLUMNS} FROM clicks WHERE ${meant(part)} ORDER BY slot, ms, n`
}
