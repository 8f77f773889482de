import { type FileHandle, open, rm } from 'node:fs/promises'
import path from 'node:path'
import { createParameters } from '../../reports/bind.ts'
import { selectionSql } from '../../reports/counts.ts'
import { streamOf } from '../../shared/streams.ts'
import type { ExportOptions, Selection } from '../../types.ts'
import type { Engine, LinkFacts } from '../types.ts'
import { type Connection, type DuckDb, quoted } from './database.ts'
import { dialect } from './dialect.ts'
import { exportSql } from './export-sql.ts'

const CHUNK_BYTES = 256 * 1024
/** Row groups are as large as parts: larger ones don't fit into DuckDB's memory. */
const PARQUET = 'FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 40000'
const QUARTER_MS = 900_000
/** More of them don't fit into DuckDB's memory while they are sorted and written as CSV. */
const CLICKS_PER_PART = 40_000

/**
 * Exports a part at a time: DuckDB writes it to a file, which is streamed and deleted. Parts of Parquet
 * are made one file first.
 */
export function createExport(database: DuckDb, facts: LinkFacts): Engine['export'] {
  /** Sorting takes much of DuckDB's memory: one export does so at a time. */
  let writing: Promise<unknown> = Promise.resolve()

  const newFile = () => path.join(database.temporary, `export-${crypto.randomUUID()}`)

  /** Makes one Parquet file of parts, in their order. */
  async function join(
    connection: Connection,
    files: readonly string[],
    signal: AbortSignal,
  ): Promise<string> {
    const file = newFile()
    const parts = `SELECT * FROM read_parquet([${files.map(quoted).join(', ')}])`
    try {
      await connection.run('SET preserve_insertion_order = true')
      await connection.run(`COPY (${parts}) TO ${quoted(file)} (${PARQUET})`, [], signal)
    } catch (error) {
      await rm(file, { force: true })
      throw error
    } finally {
      await connection.run('SET preserve_insertion_order = false')
    }
    return file
  }

  async function writePart(
    connection: Connection,
    part: Selection,
    options: ExportOptions & { isFirst: boolean },
    signal: AbortSignal,
  ): Promise<string> {
    const file = newFile()
    const written = writing.then(async () => {
      signal.throwIfAborted()
      await nameLinks(connection, facts, part, signal)
      const { bind, values } = createParameters(dialect)
      const sql = exportSql(bind, part, options)
      await connection.run(
        `COPY (${sql}) TO ${quoted(file)} (${copyOptions(options)})`,
        values,
        signal,
      )
    })
    writing = written.catch(() => {})
    try {
      await written
    } catch (error) {
      await rm(file, { force: true })
      throw error
    }
    return file
  }

  async function* write(
    selection: Selection,
    options: ExportOptions,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, undefined> {
    const connection = await database.connect()
    const files: string[] = []
    try {
      await nameDomains(connection, facts)
      let isFirst = true
      for (const part of await partsOf(connection, selection)) {
        const file = await writePart(connection, part, { ...options, isFirst }, signal)
        isFirst = false
        if (options.format === 'parquet') files.push(file)
        else yield* readAndDelete(file)
      }
      if (files.length > 0) yield* readAndDelete(await join(connection, files, signal))
    } finally {
      for (const file of files) await rm(file, { force: true })
      connection.close()
    }
    return undefined
  }

  return async (selection, options, signal) =>
    streamOf((until) => write(selection, options, until), signal)
}

function copyOptions({ format, isFirst }: ExportOptions & { isFirst: boolean }): string {
  switch (format) {
    case 'csv':
      return `FORMAT csv, HEADER ${isFirst}, NEW_LINE '\\r\\n'`
    case 'ndjson':
      return 'FORMAT json'
    case 'parquet':
      return PARQUET
  }
}

/**
 * Consecutive parts of a selection with about as many clicks as are sorted in memory; one at least. A
 * quarter of an hour is always in one part.
 */
async function partsOf(connection: Connection, selection: Selection): Promise<Selection[]> {
  const { bind, values } = createParameters(dialect)
  const rows = await connection.run(
    `SELECT time - time % ${QUARTER_MS} AS quarter, count(*) FROM clicks
      WHERE ${selectionSql(dialect, bind, selection)} GROUP BY 1 ORDER BY 1`,
    values,
  )
  const parts: Selection[] = []
  let from = selection.from
  let clicks = 0
  for (const [quarter, count] of rows) {
    if (clicks > 0 && clicks + Number(count) > CLICKS_PER_PART) {
      parts.push({ ...selection, from, to: Number(quarter) })
      from = Number(quarter)
      clicks = 0
    }
    clicks += Number(count)
  }
  return [...parts, { ...selection, from }]
}

async function nameDomains(connection: Connection, facts: LinkFacts): Promise<void> {
  await createNames(connection, 'export_domains (no, host)', await facts.domains())
}

/** Looks up the ids of the links that have clicks in a part. */
async function nameLinks(
  connection: Connection,
  facts: LinkFacts,
  part: Selection,
  signal: AbortSignal,
): Promise<void> {
  const { bind, values } = createParameters(dialect)
  const rows = await connection.run(
    `SELECT DISTINCT link FROM clicks WHERE ${selectionSql(dialect, bind, part)}`,
    values,
    signal,
  )
  const names = await facts.links(rows.map(([link]) => Number(link)))
  await createNames(connection, 'export_links (seq, id)', names)
}

/** A temporary table of numbers and names. */
async function createNames(
  connection: Connection,
  table: string,
  names: ReadonlyMap<number, string>,
): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${table} AS
      SELECT unnest(from_json($1, '["BIGINT"]')), unnest(from_json($2, '["VARCHAR"]'))`,
    [JSON.stringify([...names.keys()]), JSON.stringify([...names.values()])],
  )
}

/** The file is deleted first: what remains of it goes with the process. */
async function* readAndDelete(file: string): AsyncGenerator<Uint8Array, undefined> {
  let handle: FileHandle
  try {
    handle = await open(file)
  } finally {
    await rm(file, { force: true })
  }
  try {
    for (;;) {
      const buffer = new Uint8Array(CHUNK_BYTES)
      const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES)
      if (bytesRead === 0) return undefined
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}
