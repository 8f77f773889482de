import { streamOf } from '../../../lib/base/streams.ts'
import { DAY_MS } from '../../intervals.ts'
import { linkNumbersSql } from '../../reports/lists.ts'
import { daysSql, unsettleSql } from '../shared/summing.ts'
import type { Forgotten, RecountHead } from '../types.ts'
import type { Connection, DuckDb } from './database.ts'
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
      yield encoder.encode(`${JSON.stringify(await beginRecount(connection))}\n`)
      for await (const rows of connection.stream(linkNumbersSql(dialect, range))) {
        yield encoder.encode(rows.map((row) => `[${row.map(Number).join(',')}]\n`).join(''))
      }
    } finally {
      connection.close()
    }
    return undefined
  })
}

/** Deletes a link's clicks before a time, and totals of whole days before it. */
export async function forgetClicks(
  database: DuckDb,
  link: number,
  before: number,
): Promise<Forgotten> {
  const connection = await database.connect()
  try {
    const deleted = `link = ${link} AND time < ${before}`
    await connection.run(`BEGIN; ${unsettleSql(daysSql('clicks', deleted))};
      DELETE FROM clicks WHERE ${deleted};
      DELETE FROM daily WHERE link = ${link} AND day < ${Math.floor(before / DAY_MS)}; COMMIT`)
    const head = await beginRecount(connection)
    const [row = []] = await connection.run(linkNumbersSql(dialect, [link, link + 1]))
    const [, human = 0, bot = 0, unique = 0] = row.map(Number)
    return { ...head, human, bot, unique }
  } finally {
    connection.close()
  }
}

/** Begins a snapshot, of which this is the head. */
async function beginRecount(connection: Connection): Promise<RecountHead> {
  await connection.run('BEGIN')
  const [state = []] = await connection.run('SELECT segment, "offset", since FROM state')
  const [segment = 0, offset = 0, since = 0] = state.map(Number)
  return { segment, offset, since }
}
