import type { FilledRow } from '../../../clicks/fill.ts'
import type { LinkCounts, StoredCounts } from '../../../clicks/recount.ts'
import type { Position } from '../../../clicks/segments.ts'
import { streamOf } from '../../../lib/base/streams.ts'
import { DAY_MS } from '../../intervals.ts'
import { linkNumbersSql } from '../../reports/lists.ts'
import { daysSql, unsettleSql } from '../shared/summing.ts'
import type { Forgotten, RecountHead } from '../types.ts'
import { dialect } from './dialect.ts'
import type { Connection, DuckDb } from './types.ts'

/**
 * Numbers of links by their clicks, and how far the journal is stored. All from one snapshot.
 * @param range first ≤ link < end
 */
export async function linkNumbers(
  database: DuckDb,
  range: readonly [number, number],
): Promise<StoredCounts & { at: Position }> {
  const connection = await database.connect()
  try {
    const { since, ...at } = await beginRecount(connection)
    const links = new Map<number, LinkCounts>()
    for await (const rows of connection.stream(linkNumbersSql(dialect, range))) {
      for (const [link, human, bot, unique] of rows as [unknown, unknown, unknown, unknown][]) {
        const counts = { human: Number(human), bot: Number(bot), unique: Number(unique) }
        links.set(Number(link), counts)
      }
    }
    return { at, since, links }
  } finally {
    connection.close()
  }
}

const ALL = [0, Number.MAX_SAFE_INTEGER] as const
/** The month of a time in milliseconds: months since January 1970. */
const monthOf = (ms: string) => `(year(epoch_ms(${ms})) - 1970) * 12 + month(epoch_ms(${ms})) - 1`

/** See `Answers.counters`: lines of JSON, all from one snapshot. */
export function countersOf(
  database: DuckDb,
  sinceDay: number,
  sinceMonth: number,
): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const queries: readonly [FilledRow[0], sql: string][] = [
    [
      'link',
      `SELECT n.link, n.humans, n.bots, n.visitors, l.last FROM (${linkNumbersSql(dialect, ALL)}) n
        JOIN (SELECT link, max(last) AS last FROM (
          SELECT link, max(time) AS last FROM clicks GROUP BY link
          UNION ALL SELECT link, max(day) * ${DAY_MS} FROM daily GROUP BY link) GROUP BY link) l
        ON l.link = n.link ORDER BY n.link`,
    ],
    [
      'visitor',
      `SELECT DISTINCT time // ${DAY_MS}, link, visitor FROM clicks
        WHERE kind = 0 AND visitor IS NOT NULL AND time >= ${sinceDay * DAY_MS} ORDER BY ALL`,
    ],
    [
      'month',
      `SELECT workspace, month, sum(clicks) FROM (
          SELECT workspace, ${monthOf('time')} AS month, count(*) AS clicks FROM clicks GROUP BY ALL
          UNION ALL SELECT workspace, ${monthOf(`day * ${DAY_MS}`)}, sum(clicks) FROM daily GROUP BY ALL)
        WHERE month >= ${sinceMonth} GROUP BY ALL ORDER BY ALL`,
    ],
  ]
  // 64 bits are more than a number has.
  const lineOf = (name: string, row: readonly unknown[]) =>
    JSON.stringify([
      name,
      ...row.map((value, i) => (name === 'visitor' && i === 2 ? String(value) : Number(value))),
    ])
  return streamOf(async function* () {
    const connection = await database.connect()
    try {
      yield encoder.encode(`${JSON.stringify(await beginRecount(connection))}\n`)
      for (const [name, query] of queries) {
        for await (const rows of connection.stream(query)) {
          yield encoder.encode(rows.map((row) => `${lineOf(name, row)}\n`).join(''))
        }
      }
      yield encoder.encode('"end"\n')
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
