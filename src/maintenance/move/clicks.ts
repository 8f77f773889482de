import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { DuckDb } from '../../statistics/engine/duckdb/index.ts'
import { DUCKDB_MIGRATIONS } from '../../statistics/engine/duckdb/schema.ts'
import {
  boundsOf,
  CLICK_TABLES,
  type ClickStore,
  type ClickTable,
  digestSql,
  duckDbEngine,
  type Engine,
  exported,
  selectionOf,
  type Wanted,
} from './click-store.ts'
import {
  type Digest,
  digestOf,
  isSame,
  type Moved,
  NONE,
  type Progress,
  plus,
  sumOf,
} from './digest.ts'
import type { Mark, Marks } from './marks.ts'

/** Rows and parts that are copied together. */
const GROUP_ROWS = 250_000
const GROUP_PARTS = 5_000
/** With more parts, none is continued, and they are compared with all between them. */
const MOST_SELECTED = 500

/** What the statistics file has of an hour of clicks, or a day of totals. */
type Part = Pick<Mark, 'no' | 'rows' | 'quick' | 'last'>

/** A part to be copied: the rows after those of its mark, or all. */
interface Change extends Wanted {
  part: Part
  mark: Mark | undefined
}

interface Move {
  table: ClickTable
  database: DuckDb
  source: Engine
  store: ClickStore
  marks: Marks
  progress: Progress
}

/**
 * Copies the clicks hour by hour. An hour that has only newer clicks than at its mark is continued;
 * any other that doesn't fit its mark is replaced.
 */
export async function moveClicks(
  database: DuckDb,
  store: ClickStore,
  { marks, progress }: { marks: Marks; progress: Progress },
): Promise<Moved[]> {
  mkdirSync(database.temporary, { recursive: true, mode: 0o700 })
  const connection = await database.connect()
  const source = duckDbEngine((sql) => connection.run(sql))
  const moved: Moved[] = []
  for (const table of CLICK_TABLES) {
    moved.push(await moveTable({ table, database, source, store, marks, progress }))
  }
  await store.finish(moved)
  return moved
}

async function moveTable(move: Move): Promise<Moved> {
  const { table, store, marks } = move
  const { name } = table
  const own = new Map((await partsOf(move, 'true')).map((part) => [part.no, part]))
  const earlier = new Map((await marks.of(name)).map((mark) => [mark.no, mark]))
  const there = new Set([...earlier.keys(), ...(await store.prepare(table, earlier))])
  const changes = await changesOf(move, own, earlier)
  let copied = 0
  for (const group of groupsOf(changes)) copied += await copy(move, group, there)
  const gone = [...there].filter((no) => !own.has(no))
  for (let at = 0; at < gone.length; at += GROUP_PARTS) {
    const parts = gone.slice(at, at + GROUP_PARTS)
    await store.write(marks, async () => {
      await marks.forget(name, parts)
      await store.remove(table, parts)
    })
  }
  return { table: name, ...(await verify(move, changes)), copied }
}

/** A migration may change columns that the hash doesn't cover. */
const SCHEMA = DUCKDB_MIGRATIONS.at(-1)?.version

/** The parts that the statistics file has, of the rows that fulfil a condition. */
async function partsOf({ table, source }: Move, condition: string): Promise<Part[]> {
  const rows = await source.rows(
    `SELECT ${source.divide(table.time, table.size)} AS part, count(*), sum(hash(${table.identity})),
       max(${table.position})
     FROM ${table.name} WHERE ${condition} GROUP BY part ORDER BY part`,
  )
  return rows.map(([no, count, sum, last]) => ({
    no: Number(no),
    rows: Number(count),
    quick: `${SCHEMA} ${sum}`,
    last: String(last),
  }))
}

/** The parts that don't fit their marks. */
async function changesOf(
  move: Move,
  own: ReadonlyMap<number, Part>,
  earlier: ReadonlyMap<number, Mark>,
): Promise<Change[]> {
  const { table, source } = move
  const changes = new Map<number, Change>()
  for (const part of own.values()) {
    const mark = earlier.get(part.no)
    if (mark?.rows === part.rows && mark.quick === part.quick) continue
    changes.set(part.no, { no: part.no, after: null, part, mark })
  }
  const grown = [...changes.values()].filter(
    ({ part, mark }) => mark?.verified && part.rows > mark.rows,
  )
  if (changes.size > MOST_SELECTED || grown.length === 0) return [...changes.values()]
  const before = grown.map(
    ({ no, mark }) =>
      `${source.divide(table.time, table.size)} = ${no} AND ${table.position} <= ${mark?.last}`,
  )
  const condition = before.map((text) => `(${text})`).join(' OR ')
  for (const { no, rows, quick } of await partsOf(move, condition)) {
    const change = changes.get(no)
    const isUnchanged = change?.mark?.rows === rows && change.mark.quick === quick
    if (change && isUnchanged) change.after = change.mark?.last ?? null
  }
  return [...changes.values()]
}

/** Changes that are copied together. */
function* groupsOf(changes: readonly Change[]): Generator<Change[]> {
  let group: Change[] = []
  let rows = 0
  for (const change of changes) {
    group.push(change)
    rows += change.part.rows
    if (rows < GROUP_ROWS && group.length < GROUP_PARTS) continue
    yield group
    group = []
    rows = 0
  }
  if (group.length > 0) yield group
}

/**
 * Copies a group of parts. Returns the number of rows.
 * @param there the parts of which the target has rows
 */
async function copy(
  { table, database, source, store, marks, progress }: Move,
  group: readonly Change[],
  there: ReadonlySet<number>,
): Promise<number> {
  const { name, columns, time } = table
  const file = join(database.temporary, `${name}.csv`)
  const values = columns.map((column) => `${exported(column)} AS ${column}`).join(', ')
  await source.rows(
    `COPY (SELECT ${values} FROM ${name} WHERE ${selectionOf(table, group, source)} ORDER BY ${time})
     TO '${file.replaceAll("'", "''")}' (FORMAT csv, HEADER false, NULLSTR '\\N')`,
  )
  const stale = group.filter(({ no, after }) => after === null && there.has(no))
  await store.write(marks, async () => {
    await marks.forget(
      name,
      group.map(({ no }) => no),
    )
    if (stale.length > 0) {
      await store.remove(
        table,
        stale.map(({ no }) => no),
      )
    }
    await store.add(name, columns, file)
    const unverified = { start: null, checksum: NONE.checksum, verified: false }
    await marks.add(
      name,
      group.map(({ part }) => ({ ...unverified, ...part })),
    )
  })
  rmSync(file)
  const kept = group.map(({ mark, after }) => (after === null ? 0 : (mark?.rows ?? 0)))
  const rows = group.reduce((sum, { part }, i) => sum + part.rows - (kept[i] ?? 0), 0)
  progress(name, rows)
  return rows
}

/** Compares the checksums of what was copied since they were last compared. */
async function verify(
  { table, source, store, marks }: Move,
  changes: readonly Change[],
): Promise<Pick<Moved, 'source' | 'target'>> {
  const all = await marks.of(table.name)
  const open = all.filter(({ verified }) => !verified)
  const here: Digest[] = all.filter(({ verified }) => verified)
  if (open.length === 0) return { source: sumOf(here), target: sumOf(here) }
  const there = [...here]
  const continued = new Map<number, Change>()
  if (open.length <= MOST_SELECTED) {
    for (const change of changes) if (change.after !== null) continued.set(change.no, change)
  }
  const wanted = open.map(({ no }) => ({ no, after: continued.get(no)?.after ?? null }))
  const [own, theirs] = await Promise.all(
    [source, store].map(async (engine) => {
      const condition =
        open.length > MOST_SELECTED ? boundsOf(table, wanted) : selectionOf(table, wanted, engine)
      const rows = await engine.rows(digestSql(table, engine, condition))
      return new Map(rows.map(([no, count, sum]) => [Number(no), digestOf(count, sum)]))
    }),
  )
  const compared = open.map((mark) => {
    const before = continued.get(mark.no)?.mark ?? NONE
    const copied = plus(before, own?.get(mark.no) ?? NONE)
    const found = plus(before, theirs?.get(mark.no) ?? NONE)
    here.push(copied)
    there.push(found)
    // Without a hash that fits, the next run replaces the part.
    if (!isSame(copied, found)) return { ...mark, rows: found.rows, quick: '' }
    return { ...mark, ...copied, verified: true }
  })
  await marks.transaction(async () => {
    await marks.forget(
      table.name,
      open.map(({ no }) => no),
    )
    await marks.add(table.name, compared)
  })
  return { source: sumOf(here), target: sumOf(there) }
}
