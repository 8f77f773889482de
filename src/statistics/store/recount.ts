import type { StatisticsDatabase } from './duckdb.ts'

/** The first line: what the numbers are as of, and from when on they are all there is. */
export interface RecountHead {
  /** Up to where in the journal clicks are in the numbers. */
  segment: number
  offset: number
  /** Time from which all clicks are known; 0: all that there ever were. */
  since: number
}

const NUMBERS = `SELECT link, sum(human)::BIGINT, sum(bot)::BIGINT, sum(uniques)::BIGINT, max(last)::BIGINT
  FROM (
    SELECT link, count(*) FILTER (kind = 0) AS human, count(*) FILTER (kind <> 0) AS bot,
      coalesce(sum((firsts >> 1) & 1) FILTER (kind = 0), 0) AS uniques,
      max(slot::BIGINT * 900000 + ms) AS last
    FROM clicks WHERE link >= $1 AND link < $2 GROUP BY link
    UNION ALL
    SELECT link, coalesce(sum(clicks) FILTER (kind = 0), 0), coalesce(sum(clicks) FILTER (kind <> 0), 0),
      coalesce(sum(uniques) FILTER (kind = 0), 0), 0
    FROM daily WHERE link >= $1 AND link < $2 GROUP BY link
  ) GROUP BY link ORDER BY link`

/**
 * Numbers of each link, by its raw clicks and what is left of purged ones, as lines of JSON:
 * {@link RecountHead}, then `[link, human, bot, unique, lastClickedAt]`. All as of one moment.
 */
export function linkNumbers(
  database: StatisticsDatabase,
  [first, end]: readonly [number, number],
): ReadableStream<Uint8Array> {
  return streamOf(lines())

  async function* lines(): AsyncGenerator<string> {
    const connection = await database.connect()
    try {
      // A transaction: both questions see one snapshot.
      await connection.run('BEGIN')
      const [mark] = await connection.all<{ segment: bigint; offset: bigint }>(
        'SELECT segment, "offset" FROM watermark',
      )
      const [origin] = await connection.all<{ since: bigint }>('SELECT since FROM origin')
      const head: RecountHead = {
        segment: Number(mark?.segment ?? 0),
        offset: Number(mark?.offset ?? 0),
        since: Number(origin?.since ?? 0),
      }
      yield `${JSON.stringify(head)}\n`
      const result = await connection.use(() =>
        connection.raw.stream(NUMBERS, [BigInt(first), BigInt(end)]),
      )
      for (;;) {
        const chunk = await connection.use(() => result.fetchChunk())
        if (chunk === null || chunk.rowCount === 0) break
        yield chunk
          .getRows()
          .map((row) => `[${row.map(String).join(',')}]\n`)
          .join('')
      }
      await connection.run('COMMIT')
    } finally {
      connection.close()
    }
  }
}

function streamOf(lines: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await lines.next()
      if (done) controller.close()
      else controller.enqueue(encoder.encode(value))
    },
    async cancel() {
      await lines.return(undefined)
    },
  })
}
