import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { KIND_NAMES, TEXT_COLUMNS } from '../store/schema.ts'
import { EXPORT_COLUMNS } from '../types.ts'

/** Clicks of a row group: what a reader holds at once. */
const ROWS_PER_GROUP = 100_000
const CHUNK_BYTES = 256 * 1024
const PREFIX = 'export-'

/** Some clicks as `createForm` takes them, and what their links and domains are called. */
export interface NamedRows {
  rows: readonly (readonly unknown[])[]
  ids: ReadonlyMap<number, string | undefined>
  hosts: ReadonlyMap<number, string>
}

/**
 * Writes Parquet by DuckDB, in a directory of its own, because its end must be known before its
 * beginning; it is removed when the file was read, or nobody reads it any more.
 */
export function createParquet(directory: string) {
  mkdirSync(directory, { recursive: true })
  // Left behind by a process that was killed: there is only one at a time.
  for (const left of readdirSync(directory)) {
    if (left.startsWith(PREFIX)) rmSync(join(directory, left), { recursive: true, force: true })
  }

  return async function* write(
    pages: AsyncIterable<NamedRows>,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, undefined> {
    const place = mkdtempSync(join(directory, PREFIX))
    const file = join(place, 'clicks.parquet')
    try {
      await writeFile(place, file, pages)
      const whole = Bun.file(file)
      for (let at = 0; at < whole.size; at += CHUNK_BYTES) {
        signal.throwIfAborted()
        yield await whole.slice(at, at + CHUNK_BYTES).bytes()
      }
    } finally {
      rmSync(place, { recursive: true, force: true })
    }
    return undefined
  }
}

async function writeFile(
  place: string,
  file: string,
  pages: AsyncIterable<NamedRows>,
): Promise<void> {
  // Its library takes tens of megabytes: most nodes never write such a file.
  const { BIGINT, openStatistics, VARCHAR } = await import('../store/duckdb.ts')
  const { CHUNK_ROWS, createChunkWriter } = await import('../store/chunk.ts')
  const database = await openStatistics(join(place, 'rows.duckdb'))
  try {
    const connection = await database.connect()
    const isTime = (name: string) => name === 'clicked_at'
    await connection.run(
      `CREATE TABLE rows (${EXPORT_COLUMNS.map(
        (name) => `"${name}" ${isTime(name) ? 'BIGINT' : 'VARCHAR'}`,
      ).join(', ')})`,
    )
    const chunks = createChunkWriter(
      EXPORT_COLUMNS.map((name) => (isTime(name) ? BIGINT : VARCHAR)),
    )
    const appender = await connection.raw.createAppender('rows')
    for await (const { rows, ids, hosts } of pages) {
      for (let at = 0; at < rows.length; at += CHUNK_ROWS) {
        const some = rows.slice(at, at + CHUNK_ROWS)
        chunks.begin(some.length)
        EXPORT_COLUMNS.forEach((name, column) => {
          if (isTime(name)) {
            chunks.bigints(
              column,
              Float64Array.from(some, (row) => Number(row[1])),
              0,
            )
          } else {
            const value = cellOf(name, ids, hosts)
            chunks.text(column, some.map(value), 0)
          }
        })
        appender.appendDataChunk(chunks.chunk)
      }
      appender.flushSync()
    }
    appender.closeSync()
    // They were appended in order, and stay so.
    await connection.run('SET preserve_insertion_order = true')
    const target = file.replaceAll("'", "''")
    await connection.run(
      `COPY (SELECT * REPLACE (make_timestamp(clicked_at * 1000) AS clicked_at) FROM rows)
       TO '${target}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${ROWS_PER_GROUP})`,
    )
  } finally {
    database.close()
  }
}

function cellOf(
  name: (typeof EXPORT_COLUMNS)[number],
  ids: NamedRows['ids'],
  hosts: NamedRows['hosts'],
): (row: readonly unknown[]) => string | null {
  switch (name) {
    case 'id':
      return (row) => `${row[1]}-${row[2]}`
    case 'link':
      return (row) => ids.get(Number(row[3])) ?? null
    case 'domain':
      return (row) => hosts.get(Number(row[4])) ?? null
    case 'kind':
      return (row) => KIND_NAMES[Number(row[5])] ?? null
    case 'trigger':
      return (row) => (row[6] === true ? 'qr' : 'click')
    default: {
      const at = 7 + TEXT_COLUMNS.indexOf(name as (typeof TEXT_COLUMNS)[number])
      return (row) => row[at] as string | null
    }
  }
}
