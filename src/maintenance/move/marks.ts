import { OperatorError } from '../../lib/errors/index.ts'
import type { Digest } from './digest.ts'
import type { Target } from './target.ts'

/** A part of a table that was copied: a range of keys, or an hour of clicks. */
export interface Mark extends Digest {
  /** The number of the range or hour. */
  no: number
  /** The first key of a range as JSON; null: it begins with the table. */
  start: string | null
  /** A fast hash of the rows in the source, from which a later run sees that they changed. */
  quick: string
  /** The position of the newest click; null: none. */
  last: string | null
  /** Whether the target's checksum was compared. */
  verified: boolean
}

/**
 * `move_marks` describes what is copied. Each is written in the transaction that writes its rows,
 * whose number is in `move_writes`: rows of other transactions were written by others.
 */
const TABLES = `
  CREATE TABLE IF NOT EXISTS move_marks (
    name TEXT COLLATE "C" NOT NULL,
    no BIGINT NOT NULL,
    start TEXT COLLATE "C",
    rows BIGINT NOT NULL,
    checksum TEXT COLLATE "C" NOT NULL,
    quick TEXT COLLATE "C" NOT NULL,
    last TEXT COLLATE "C",
    verified BOOLEAN NOT NULL,
    PRIMARY KEY (name, no)
  );
  CREATE TABLE IF NOT EXISTS move_writes (id XID NOT NULL)`

/** The marks in a target, and its transactions. */
export type Marks = Awaited<ReturnType<typeof openMarks>>

/** Opens the marks of earlier runs in a target. */
export async function openMarks(target: Target) {
  await target.all(TABLES)
  return {
    /** The marks of a table, in order. */
    async of(name: string): Promise<Mark[]> {
      const rows = await target.all<Mark>(
        'SELECT no, start, rows, checksum, quick, last, verified FROM move_marks WHERE name = $1 ORDER BY no',
        [name],
      )
      return rows.map((row) => ({ ...row, no: Number(row.no), rows: Number(row.rows) }))
    },
    /** Forgets the marks of a table, or those with these numbers. */
    async forget(name: string, numbers?: readonly number[]): Promise<void> {
      await target.all(
        'DELETE FROM move_marks WHERE name = $1 AND ($2::bigint[] IS NULL OR no = ANY ($2::bigint[]))',
        [name, numbers ?? null],
      )
    },
    async forgetAll(): Promise<void> {
      await target.all('TRUNCATE move_marks, move_writes')
    },
    async add(name: string, marks: readonly Mark[]): Promise<void> {
      await target.all(
        `INSERT INTO move_marks SELECT (json_populate_record(NULL::move_marks, mark)).*
         FROM json_array_elements($1::json) AS mark`,
        [JSON.stringify(marks.map((mark) => ({ name, ...mark })))],
      )
    },
    /** Runs `write` in a transaction, which is noted as one of the move. */
    async transaction<T>(write: () => Promise<T>): Promise<T> {
      await target.all('BEGIN')
      try {
        await target.all('INSERT INTO move_writes VALUES (pg_current_xact_id()::xid)')
        const result = await write()
        await target.all('COMMIT')
        return result
      } catch (error) {
        // On a broken connection the server rolls back.
        await target.all('ROLLBACK').catch(() => {})
        throw error
      }
    },
    /**
     * Checks that only moves have written to the tables with marks.
     * @param elsewhere tables that another database has
     * @throws OperatorError
     */
    async assertOurs(elsewhere: readonly string[]): Promise<void> {
      const marked = await target.all<{ name: string; rows: string }>(
        `SELECT name, sum(rows) AS rows FROM move_marks WHERE name <> ALL ($1::text[])
         GROUP BY name`,
        [elsewhere],
      )
      if (marked.length === 0) return
      const counts = marked.map(
        ({ name }) => `SELECT '${name}' AS name, count(*) AS rows,
          count(*) FILTER (WHERE xmin NOT IN (SELECT id FROM move_writes)) AS others FROM "${name}"`,
      )
      const found = await target.all<{ name: string; rows: string; others: string }>(
        counts.join(' UNION ALL '),
      )
      const expected = new Map(marked.map(({ name, rows }) => [name, rows]))
      for (const { name, rows, others } of found) {
        if (others === '0' && rows === expected.get(name)) continue
        throw changed(name)
      }
    },
  }
}

/** The refusal of a target that others have written to. */
export function changed(table: string): OperatorError {
  return new OperatorError(
    'TARGET_CHANGED',
    `Something else has written to the table ${table} since the last move. Name an empty database`,
  )
}
