import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import type { LinkNumbers } from '../process/wire.ts'
import { numbersStream } from '../shared/streams.ts'
import type { ClickHouse } from './client.ts'
import { raw, sql } from './sql.ts'

/** Numbers of links, first ≤ `seq` < end, by their clicks and what is left of purged ones. */
export async function* linkNumbers(
  clickHouse: ClickHouse,
  [first, end]: readonly [number, number],
  signal: AbortSignal = new AbortController().signal,
): AsyncGenerator<LinkNumbers, undefined> {
  const seq = sql`toInt64(workspace) * ${SEQS_PER_WORKSPACE} + link`
  // Those of one workspace lie together.
  const within = sql`workspace >= ${Math.floor(first / SEQS_PER_WORKSPACE)}
    AND workspace <= ${Math.floor(Math.min(end, 2 ** 52) / SEQS_PER_WORKSPACE)}
    AND ${seq} >= ${first} AND ${seq} < ${end}`
  const boundary = raw(`LEFT JOIN
    (SELECT workspace AS w, max(before) AS done FROM purged GROUP BY w) p ON p.w = workspace`)
  const numbers = sql`SELECT s, sum(human), sum(bot), sum(uniques), max(last) FROM (
    SELECT ${seq} AS s, countIf(kind = 0) AS human, countIf(kind != 0) AS bot,
      uniqExactIf((visitor, intDiv(time, 86400000)), kind = 0 AND visitor != 0) AS uniques,
      max(time) AS last
    FROM clicks ${boundary} WHERE ${within} AND time >= done * 86400000 GROUP BY s
    UNION ALL
    SELECT ${seq} AS s, sumIf(clicks, kind = 0) AS human, sumIf(clicks, kind != 0) AS bot,
      sumIf(uniques, kind = 0) AS uniques, toInt64(0) AS last
    FROM daily FINAL ${boundary} WHERE ${within} AND day < done GROUP BY s
  ) GROUP BY s ORDER BY s`
  for await (const rows of clickHouse.stream(numbers, signal)) {
    for (const row of rows) yield row.map(Number) as LinkNumbers
  }
  return undefined
}

/** The same as lines of JSON. */
export function linkNumbersOf(
  clickHouse: ClickHouse,
  range: readonly [number, number],
): ReadableStream<Uint8Array> {
  return numbersStream((signal) => linkNumbers(clickHouse, range, signal))
}
