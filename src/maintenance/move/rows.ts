import { RefusedStatement, type SqliteConnection } from '../../platform/storage/index.ts'
import { digestOf, isSame, type Moved, type Progress, sumOf } from './digest.ts'
import type { Mark, Marks } from './marks.ts'
import {
  columnsOf,
  createQuick,
  openTable,
  type Range,
  type SourceRow,
  type Table,
} from './table.ts'
import type { Target } from './target.ts'

/** Rows of a range, which are compared together; fewer if they have more characters than a chunk. */
const RANGE_ROWS = 1_000
/** Changed ranges that are compared together: each comparison takes several round trips. */
const COMPARED_RANGES = 50
/** Characters sent or compared together. */
const CHUNK = 1_048_576
/** Tables referenced by others, which come first. */
const REFERENCED = ['workspaces', 'users']
/** Tables with another form in PostgreSQL. */
const NOT_MOVED = /^(?:sqlite_|kysely_|links_search|journal_watermark$)/
const WHOLE: Range = { start: null, end: null }

/** A range of earlier marks: `rows` are those of the source, `mark` is null if they changed. */
interface ComparedRange extends Range {
  mark: Mark | null
  rows: number
}

/** A table, and the ranges of its marks in the target; none: it is replaced. */
interface ComparedTable {
  table: Table
  ranges: ComparedRange[]
}

/** Compares all tables of the source with the marks of earlier runs. Writes nothing. */
export async function compareTables(
  databases: readonly SqliteConnection[],
  { target, marks, progress }: Pick<Move, 'target' | 'marks' | 'progress'>,
): Promise<ComparedTable[]> {
  const tables = "SELECT name FROM sqlite_schema WHERE type = 'table'"
  const found = databases.flatMap((connection) =>
    connection.raw
      .query<{ name: string }, []>(tables)
      .all()
      .map(({ name }) => ({ name, connection })),
  )
  const rank = ({ name }: { name: string }) => (REFERENCED.includes(name) ? 0 : 1)
  const columns = await columnsOf(target)
  const compared: ComparedTable[] = []
  for (const { name, connection } of found.toSorted((a, b) => rank(a) - rank(b))) {
    if (NOT_MOVED.test(name)) continue
    const table = openTable(name, connection, target, columns)
    const earlier = await marks.of(name)
    const ranges = earlier.map((mark, i) => {
      const range = { start: mark.start, end: earlier[i + 1]?.start ?? null }
      const { rows, quick } = table.quick(range)
      progress(name, rows)
      return { ...range, mark: rows === mark.rows && quick === mark.quick ? mark : null, rows }
    })
    compared.push({ table, ranges })
  }
  return compared
}

/**
 * Copies tables one after the other, each in one transaction: a table without marks is replaced; of
 * others, only the rows that differ in ranges whose marks don't fit the source. So an interrupted
 * move continues with the table where it was.
 */
export async function copyTables(
  compared: readonly ComparedTable[],
  to: Pick<Move, 'target' | 'marks' | 'progress'> & { rangeRows?: number },
): Promise<Moved[]> {
  const emptied = new Set<string>()
  const moved: Moved[] = []
  for (const { table, ranges } of compared) {
    const known = emptied.has(table.name) ? [] : ranges
    moved.push(await copyTable({ rangeRows: RANGE_ROWS, ...to, table, emptied }, known))
  }
  return moved
}

interface Move {
  table: Table
  marks: Marks
  target: Target
  progress: Progress
  rangeRows: number
  /** The tables that were emptied together with a table to which they refer. */
  emptied: Set<string>
}

async function copyTable(move: Move, ranges: readonly ComparedRange[]): Promise<Moved> {
  if (ranges.length === 0) return await replace(move)
  const unchanged = ranges.flatMap(({ mark }) => mark ?? [])
  if (unchanged.length === ranges.length) {
    const digest = sumOf(unchanged)
    return { table: move.table.name, source: digest, target: digest, copied: 0 }
  }
  return (await change(move, ranges)) ?? (await replace(move))
}

/** Copies all rows. */
async function replace({
  table,
  marks,
  target,
  progress,
  rangeRows,
  emptied,
}: Move): Promise<Moved> {
  const { name } = table
  return await marks.transaction(async () => {
    // Referencing tables are emptied too: they come later, and are copied again.
    await target.all(`TRUNCATE ${name} CASCADE`)
    const others = await target.all<{ name: string }>(
      `SELECT DISTINCT conrelid::regclass::text AS name FROM pg_constraint
       WHERE contype = 'f' AND confrelid = to_regclass($1)`,
      [name],
    )
    for (const other of others) emptied.add(other.name)
    for (const other of [name, ...others.map(({ name }) => name)]) await marks.forget(other)
    const cut = createCut(WHOLE, rangeRows)
    function* lines() {
      for (const row of table.rows(WHOLE)) {
        cut.add(row)
        yield lineOf(row.row)
      }
    }
    const chunks = chunksOf(lines(), (rows) => progress(name, rows))
    await target.copy(`COPY ${name} (${table.list}) FROM STDIN (FORMAT csv)`, chunks)
    await target.all(`ANALYZE ${name}`)
    const made = cut.marks()
    const source = sumOf(made)
    const there = await table.digest()
    if (isSame(source, there)) await marks.add(name, made)
    return { table: name, source, target: there, copied: source.rows }
  })
}

/** Joins changed ranges that follow each other, up to a number of rows. */
function joined(ranges: readonly ComparedRange[], mostRows: number): ComparedRange[] {
  const all: ComparedRange[] = []
  for (const range of ranges) {
    const last = all.at(-1)
    const rows = (last?.rows ?? 0) + range.rows
    if (!last || last.mark !== null || range.mark !== null || rows > mostRows) all.push(range)
    else all[all.length - 1] = { ...last, end: range.end, rows }
  }
  return all
}

/**
 * Copies the rows that differ in changed ranges. Null: that isn't possible row by row.
 * Unique values may have moved from row to row, so all deletions come first.
 */
async function change(
  { table, marks, target, rangeRows }: Move,
  ranges: readonly ComparedRange[],
): Promise<Moved | null> {
  const { name, list, keyList, others } = table
  // Rows to which others refer are updated in place.
  const isReferenced = REFERENCED.includes(name)
  const update = others.map((column) => `${column} = excluded.${column}`).join(', ')
  const conflict = isReferenced ? `ON CONFLICT (${keyList}) DO UPDATE SET ${update}` : ''
  const differing = new Differing()
  try {
    return await marks.transaction(async () => {
      await target.all(
        `CREATE TEMP TABLE staged ON COMMIT DROP AS SELECT ${list} FROM ${name} LIMIT 0`,
      )
      await target.all(
        `CREATE TEMP TABLE gone ON COMMIT DROP AS SELECT ${keyList} FROM ${name} LIMIT 0`,
      )
      let staged = 0
      let sum = 0n
      let toDelete = 0
      const now: Mark[] = []
      for (const { mark, ...range } of joined(ranges, COMPARED_RANGES * rangeRows)) {
        if (mark !== null) {
          now.push(mark)
          continue
        }
        const there = await table.hashes(range)
        const cut = createCut(range, rangeRows)
        const gone: string[] = []
        function* lines() {
          for (const source of table.rows(range)) {
            cut.add(source)
            const found = there.get(source.key)
            there.delete(source.key)
            if (found === source.hash) continue
            if (found !== undefined && !isReferenced) gone.push(source.key)
            staged++
            sum += source.hash
            yield lineOf(source.row)
          }
        }
        await target.copy('COPY staged FROM STDIN (FORMAT csv)', chunksOf(lines()))
        gone.push(...there.keys())
        toDelete += gone.length
        const keys = gone.map((key) => lineOf(JSON.parse(key)))
        if (keys.length > 0) {
          await target.copy('COPY gone FROM STDIN (FORMAT csv)', chunksOf(keys))
        }
        now.push(...cut.marks())
      }
      await target.all('ANALYZE gone')
      const [deleted] = await target.all<{ rows: string }>(
        `WITH deleted AS (DELETE FROM ${name} WHERE (${keyList}) IN (SELECT ${keyList} FROM gone)
           RETURNING 1) SELECT count(*) AS rows FROM deleted`,
      )
      // The hashes of the other rows have just been read.
      const written = await table.digest(
        `INSERT INTO ${name} (${list}) SELECT ${list} FROM staged ${conflict}`,
      )
      const isWritten = isSame(digestOf(staged, sum), written)
      if (!isWritten || Number(deleted?.rows) !== toDelete) throw differing
      await marks.forget(name)
      await marks.add(
        name,
        now.map((mark, no) => ({ ...mark, no })),
      )
      const digest = sumOf(now)
      return { table: name, source: digest, target: digest, copied: staged }
    })
  } catch (error) {
    // Rows with references are gone, a unique value moved, or an order differs.
    const isViolation = error instanceof RefusedStatement && error.code.startsWith('23')
    if (error === differing || isViolation) return null
    throw error
  }
}

/** The target has other rows than those that were written. */
class Differing extends Error {
  override name = 'Differing'
}

/** Cuts the rows of a range into new ranges, at least one. */
function createCut({ start }: Range, rangeRows: number) {
  const marks: Mark[] = []
  let from = start
  let quick = createQuick()
  let sum = 0n
  let characters = 0
  function end(): void {
    const { rows, quick: hash } = quick.value()
    const mark = { start: from, quick: hash, last: null, verified: true }
    marks.push({ no: marks.length, ...mark, ...digestOf(rows, sum) })
  }
  return {
    add({ key, hash, text }: SourceRow): void {
      if (quick.rows === rangeRows || characters >= CHUNK) {
        end()
        characters = 0
        from = key
        quick = createQuick()
        sum = 0n
      }
      sum += hash
      characters += text.length
      quick.add(text)
    },
    marks(): Mark[] {
      end()
      return marks
    },
  }
}

/** Joins lines to chunks; `sent` is called with their number of lines. */
function* chunksOf(lines: Iterable<string>, sent: (lines: number) => void = () => {}) {
  let chunk = ''
  let count = 0
  for (const line of lines) {
    chunk += line
    count++
    if (chunk.length < CHUNK) continue
    sent(count)
    yield chunk
    chunk = ''
    count = 0
  }
  yield chunk
}

/** A row as CSV: null is an empty field without quotes. */
function lineOf(row: readonly (string | null)[]): string {
  const fields = row.map((value) => (value === null ? '' : `"${value.replaceAll('"', '""')}"`))
  return `${fields.join(',')}\n`
}
