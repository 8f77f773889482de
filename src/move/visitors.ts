import { visitorBits } from '../clicks/visitor-bits.ts'
import type { SqliteConnection } from '../storage/index.ts'

/** Days take turns in so many parts of PostgreSQL's table. */
const SLOTS = 3
const AT_ONCE = 50_000

/** Who was counted as a unique visitor, in the form that nodes keep it in. */
export const CONVERTED_VISITORS = 'moved_visitors'

/**
 * Writes {@link CONVERTED_VISITORS} beside `link_visitors`: hashes are texts of 96 bits there, and
 * numbers of 64 bits in PostgreSQL.
 */
export function convertVisitors({ raw }: SqliteConnection): void {
  raw.run(`CREATE TABLE ${CONVERTED_VISITORS} (
    slot INTEGER NOT NULL,
    day INTEGER NOT NULL,
    link_seq INTEGER NOT NULL,
    visitor INTEGER NOT NULL,
    PRIMARY KEY (slot, day, link_seq, visitor)
  ) WITHOUT ROWID`)
  const page = raw.prepare<
    { day: number; link_seq: number; visitor: string },
    [number, number, string, number]
  >(
    `SELECT day, link_seq, visitor FROM link_visitors WHERE (day, link_seq, visitor) > (?, ?, ?)
     ORDER BY day, link_seq, visitor LIMIT ?`,
  )
  // Two of 96 bits may be one of 64, once in 10^13.
  const add = raw.prepare(`INSERT OR IGNORE INTO ${CONVERTED_VISITORS} VALUES (?, ?, ?, ?)`)
  let last = { day: -1, link_seq: -1, visitor: '' }
  for (;;) {
    const rows = page.all(last.day, last.link_seq, last.visitor, AT_ONCE)
    raw.run('BEGIN')
    for (const { day, link_seq, visitor } of rows) {
      const bits = visitorBits(visitor)
      if (bits !== null) add.run(day % SLOTS, day, link_seq, BigInt.asIntN(64, bits))
    }
    raw.run('COMMIT')
    if (rows.length < AT_ONCE) return
    last = rows.at(-1) as typeof last
  }
}
