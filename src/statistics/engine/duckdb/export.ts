import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { linesOf } from '../../../lib/base/streams.ts'
import { createWorkQueue } from '../../../platform/limits/index.ts'
import { TEXT_COLUMNS } from '../../columns.ts'
import { selectionSql } from '../../reports/counts.ts'
import { createParameters } from '../../reports/dialect.ts'
import { KIND_SQL, modeSql, TRIGGER_SQL } from '../../reports/values.ts'
import type { ListedClick, Selection } from '../../types.ts'
import type { Engine } from '../types.ts'
import { quoted } from './database.ts'
import { dialect } from './dialect.ts'
import type { Connection, DuckDb } from './types.ts'

const CHUNK_BYTES = 256 * 1024
const QUARTER_MS = 900_000
/** More of them don't fit into DuckDB's memory while they are sorted. */
const CLICKS_PER_PART = 40_000
const COLUMNS = `time, n, link AS "linkSeq", domain AS "domainNo", ${KIND_SQL} AS kind,
  ${TRIGGER_SQL} AS trigger, ${TEXT_COLUMNS.join(', ')}`

/**
 * The clicks of an export, a part at a time: DuckDB sorts it into a file of JSON lines, which is read
 * and deleted. So a slow reader holds neither memory nor a transaction.
 */
export function createExportPages(database: DuckDb): Engine['pages'] {
  /** Sorting takes much of DuckDB's memory: one export does so at a time. */
  const queue = createWorkQueue(1)

  async function writePart(
    connection: Connection,
    part: Selection,
    file: string,
    signal: AbortSignal,
  ): Promise<void> {
    const { bind, values } = createParameters(dialect)
    await queue.run(
      () =>
        connection.run(
          `COPY (SELECT ${COLUMNS} FROM clicks
          WHERE ${selectionSql(dialect, bind, part)} AND ${modeSql(part.bots)}
          ORDER BY time, n) TO ${quoted(file)} (FORMAT json)`,
          values,
          signal,
        ),
      { signal },
    )
  }

  return async function* (selection, signal) {
    const connection = await database.connect()
    const file = join(database.temporary, `export-${crypto.randomUUID()}`)
    try {
      for (const part of await partsOf(connection, selection)) {
        await writePart(connection, part, file, signal)
        const handle = await open(file)
        // The space of a deleted file is free when it is closed, also by the end of the process.
        await rm(file)
        const bytes = handle.createReadStream({ highWaterMark: CHUNK_BYTES })
        for await (const lines of linesOf(bytes)) {
          yield lines.map((line) => JSON.parse(line) as ListedClick)
        }
      }
    } finally {
      await rm(file, { force: true })
      connection.close()
    }
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
