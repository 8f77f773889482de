import { streamOf } from '../../../base/streams.ts'
import { linkNumbersSql } from '../../reports/recount.ts'
import type { RecountHead } from '../types.ts'
import type { DuckDb } from './database.ts'
import { dialect } from './dialect.ts'

/**
 * Numbers of each link as lines of JSON: {@link RecountHead}, then
 * `[link, human, bot, unique]`. All from one snapshot.
 * @param range first ≤ link < end
 */
export function linkNumbers(
  database: DuckDb,
  range: readonly [number, number],
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return streamOf(async function* () {
    const connection = await database.connect()
    try {
      await connection.run('BEGIN')
      const [state] = await connection.run('SELECT segment, "offset", since FROM state')
      const [segment, offset, since] = (state as unknown[]).map(Number) as [number, number, number]
      const head: RecountHead = { segment, offset, since }
      yield encoder.encode(`${JSON.stringify(head)}\n`)
      for await (const rows of connection.stream(linkNumbersSql(dialect, range))) {
        yield encoder.encode(rows.map((row) => `[${row.map(Number).join(',')}]\n`).join(''))
      }
    } finally {
      connection.close()
    }
    return undefined
  })
}
