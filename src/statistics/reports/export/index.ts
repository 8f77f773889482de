import { streamOf } from '../../shared/streams.ts'
import type { StatisticsDatabase } from '../../store/duckdb.ts'
import type { ExportFormat, Selection } from '../../types.ts'
import { ask, whileAsked } from '../lane/index.ts'
import type { LinkFacts } from '../names.ts'
import { createExportReader, exportedClicks } from './clicks.ts'
import { formOf } from './form.ts'
import { createLineWriter } from './lines.ts'
import { createLinkCells } from './link-cells.ts'
import { createParquet } from './parquet.ts'
import { partsOf } from './parts.ts'
import { storedNow } from './stored-now.ts'

/** Clicks put in order at once: some tens of megabytes. */
const CLICKS_PER_PART = 120_000
/** Chunks (of 2,048 clicks) between two collections of garbage: some 10 MB. */
const CHUNKS_PER_COLLECTION = 20

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
      const form = formOf(format)
      const writer = createLineWriter(form, await names.domains())
      const links = createLinkCells(names, (id) => form.field(id))
      const read = createExportReader()
      let chunks = 0
      const stored = await storedNow(connection, selection, signal)
      if (form.head !== '') yield new TextEncoder().encode(form.head)
      for (const part of await partsOf(connection, stored, CLICKS_PER_PART, signal)) {
        // What was read for the part before is not asked for again.
        await database.releaseMemory()
        const query = exportedClicks(part)
        const result = await whileAsked(connection, signal, () => ask(connection, query))
        for (;;) {
          const chunk = await whileAsked(connection, signal, () => result.fetchChunk())
          if (chunk === null || chunk.rowCount === 0) break
          const clicks = read(chunk)
          await links.learn(clicks.link, clicks.count)
          yield* writer.write(clicks, links)
          // Chunks lie outside of the heap, whose collector doesn't see that they add up.
          if (++chunks % CHUNKS_PER_COLLECTION === 0) Bun.gc(true)
        }
      }
      const rest = writer.end()
      if (rest.length > 0) yield rest
    } finally {
      connection.close()
    }
    return undefined
  }
}
