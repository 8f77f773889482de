import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createParameters } from '../../reports/bind.ts'
import { selectionSql } from '../../reports/counts.ts'
import { streamOf } from '../../shared/streams.ts'
import type { ExportOptions, Selection } from '../../types.ts'
import type { Engine, LinkFacts } from '../types.ts'
import { type Connection, type DuckDb, quoted } from './database.ts'
import { dialect } from './dialect.ts'
import { exportSql } from './export-sql.ts'
import { monthAfter, monthOf } from './months.ts'

const CHUNK_BYTES = 256 * 1024

/**
 * Exports a month at a time: DuckDB writes it to a file, which is streamed and deleted. Parquet is one
 * file, because parts of it can't be joined.
 */
export function createExport(database: DuckDb, facts: LinkFacts): Engine['export'] {
  /** Sorting a month takes much of DuckDB's memory: one export does so at a time. */
  let writing: Promise<unknown> = Promise.resolve()

  async function writePart(
    connection: Connection,
    part: Selection,
    options: ExportOptions & { isFirst: boolean },
    signal: AbortSignal,
  ): Promise<string> {
    const file = join(database.temporary, `export-${crypto.randomUUID()}`)
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
    try {
      await mkdir(database.temporary, { recursive: true, mode: 0o700 })
      await nameDomains(connection, facts)
      const parts =
        options.format === 'parquet' ? [selection] : await monthsOf(connection, selection)
      let isFirst = true
      for (const part of parts) {
        const file = await writePart(connection, part, { ...options, isFirst }, signal)
        isFirst = false
        yield* readAndDelete(file)
      }
    } finally {
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
      return 'FORMAT parquet, COMPRESSION zstd'
  }
}

/** The months in which a selection has clicks, as selections; one at least. */
async function monthsOf(connection: Connection, selection: Selection): Promise<Selection[]> {
  const { bind, values } = createParameters(dialect)
  const [row] = await connection.run(
    `SELECT min(time), max(time) FROM clicks WHERE ${selectionSql(dialect, bind, selection)}`,
    values,
  )
  if (row?.[0] == null) return [selection]
  const last = Number(row[1])
  const parts: Selection[] = []
  for (let from = Number(row[0]); from <= last; ) {
    const to = Math.min(monthAfter(monthOf(from)), last + 1)
    parts.push({ ...selection, from, to })
    from = to
  }
  return parts
}

async function nameDomains(connection: Connection, facts: LinkFacts): Promise<void> {
  await connection.run('CREATE TEMP TABLE export_links (seq BIGINT, id VARCHAR)')
  await connection.run('CREATE TEMP TABLE export_domains (no INTEGER, host VARCHAR)')
  await insertNames(connection, 'export_domains', await facts.domains())
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
  await connection.run('DELETE FROM export_links')
  await insertNames(connection, 'export_links', names)
}

async function insertNames(
  connection: Connection,
  table: string,
  names: ReadonlyMap<number, string>,
): Promise<void> {
  await connection.run(
    `INSERT INTO ${table} SELECT unnest(from_json($1, '["BIGINT"]')), unnest(from_json($2, '["VARCHAR"]'))`,
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
