import { streamOf } from '../shared/streams.ts'
import type { StatisticsDatabase } from '../store/duckdb.ts'
import { TEXT_COLUMNS } from '../store/schema.ts'
import type { ExportFormat, Selection } from '../types.ts'
import { createForm } from './form.ts'
import { ask, whileAsked } from './lane.ts'
import { createLinkIds } from './link-ids.ts'
import type { LinkFacts } from './names.ts'
import { createParquet } from './parquet.ts'
import { partsOf } from './parts.ts'
import { meant } from './source.ts'
import { raw, type Sql, sql } from './sql.ts'
import { storedNow } from './stored-now.ts'

/** Chunks (of 2,048 clicks) between two collections of garbage: some 10 MB. */
const CHUNKS_PER_COLLECTION = 10
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
    return streamOf(
      (until) =>
        format === 'parquet' ? writeParquet(selection, until) : lines(selection, format, until),
      signal,
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
      const ids = createLinkIds(names)
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
          await ids.learn(rows)
          yield encoder.encode(form.lines(rows, ids.known))
          // Chunks and bytes lie outside of the heap, whose collector doesn't see that they add up.
          if (++chunks % CHUNKS_PER_COLLECTION === 0) Bun.gc(true)
        }
      }
    } finally {
      connection.close()
    }
    return undefined
  }
}

function query(part: Selection): Sql {
  return sql`SELECT ${COLUMNS} FROM clicks WHERE ${meant(part)} ORDER BY slot, ms, n`
}
