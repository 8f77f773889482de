import { copyChunks } from './copy-in.ts'
import { createSum, type Digest, digestOf, hashOf, isSame, NONE, plus } from './digest.ts'
import { keyOf, type Row, type Table } from './tables.ts'
import type { Target } from './target.ts'

/** Rows compared or copied at once, and in one transaction. */
const AT_ONCE = 10_000

/** A part of a table's keys: behind `after`, `upTo` included; null: from the start, to the end. */
interface Part {
  after: Row | null
  upTo: Row | null
  /** Nothing of it is in the target. */
  empty: boolean
}

/** What a table came to. */
export interface Moved {
  table: string
  source: Digest
  target: Digest
  /** Rows that were copied this time. */
  copied: number
}

/** Told how many rows were looked at. */
export type Progress = (table: string, rows: number) => void

/** One table on its way; see {@link moveTables}. */
interface Way {
  table: Table
  source: Digest
  /** Of the parts that are the same already. */
  same: Digest
  parts: Part[]
  /** Nothing is in the target. */
  isNew: boolean
}

/**
 * Makes the target's tables what the source's are, and says what both have then. First what isn't
 * the source's any more is taken away, everywhere, so that no unique value is held by a row that
 * has lost it; then what is missing is copied. What is the same is not touched: so it goes on where
 * an earlier move was broken off, and a second move takes over what has changed since.
 */
export async function moveTables(
  tables: readonly Table[],
  target: Target,
  progress: Progress,
): Promise<Moved[]> {
  const ways: Way[] = []
  // Those that refer to others first.
  for (const table of tables.toReversed()) ways.unshift(await compare(table, target, progress))
  const moved: Moved[] = []
  for (const way of ways) {
    const copied = await fill(way, target, progress)
    moved.push({
      table: way.table.name,
      source: way.source,
      target: plus(way.same, await digestOfParts(way, target)),
      copied,
    })
  }
  return moved
}

/** Finds what differs, and takes away what the source hasn't. */
async function compare(table: Table, target: Target, progress: Progress): Promise<Way> {
  const [any] = await target.all(`SELECT 1 FROM ${table.name} LIMIT 1`)
  const way: Way = { table, source: NONE, same: NONE, parts: [], isNew: any === undefined }
  if (way.isNew) {
    way.parts.push({ after: null, upTo: null, empty: true })
    return way
  }
  for (let after: Row | null = null; ; ) {
    const rows = table.rows(after, null, AT_ONCE)
    const last = rows.at(-1)
    const upTo: Row | null = rows.length < AT_ONCE || !last ? null : keyOf(table, last)
    const part: Part = { after, upTo, empty: false }
    const own = digestOfRows(table, rows)
    const found = await digestOfPart(table, part, target)
    way.source = plus(way.source, own)
    if (isSame(own, found)) way.same = plus(way.same, found)
    else {
      part.empty = found.rows === 0
      way.parts.push(part)
      if (!part.empty) await takeAway(table, part, rows, target)
    }
    progress(table.name, rows.length)
    if (upTo === null) return way
    after = upTo
  }
}

/** Deletes the rows of a part that the source has otherwise, or not at all. */
async function takeAway(
  table: Table,
  part: Part,
  rows: readonly Row[],
  target: Target,
): Promise<void> {
  const own = new Map(rows.map((row) => [nameOf(keyOf(table, row)), hashOf(table.hashed(row))]))
  const changed: Row[] = []
  const gone: Row[] = []
  for (const [key, hash] of await keysOf(table, part, target)) {
    const known = own.get(nameOf(key))
    if (known === undefined) gone.push(key)
    else if (known !== hash) changed.push(key)
  }
  const { freed, name } = table
  if (freed === null) return await deleteAll(table, [...gone, ...changed], target)
  await deleteAll(table, gone, target)
  if (changed.length === 0) return
  const { condition, values } = among(table, changed)
  await target.all(`UPDATE ${name} SET ${freed} WHERE ${condition}`, values)
}

async function deleteAll(table: Table, keys: readonly Row[], target: Target): Promise<void> {
  if (keys.length === 0) return
  const { condition, values } = among(table, keys)
  await target.all(`DELETE FROM ${table.name} WHERE ${condition}`, values)
}

/** Copies what the parts lack. Gives how many rows that were. */
async function fill(way: Way, target: Target, progress: Progress): Promise<number> {
  const { table, parts } = way
  let copied = 0
  for (const part of parts) {
    for (let after = part.after; ; ) {
      const rows = table.rows(after, part.upTo, AT_ONCE)
      if (way.isNew) way.source = plus(way.source, digestOfRows(table, rows))
      const last = rows.at(-1)
      const upTo = rows.length < AT_ONCE || !last ? part.upTo : keyOf(table, last)
      const missing = part.empty
        ? rows
        : await missingOf(table, { ...part, after, upTo }, rows, target)
      if (missing.length > 0) await copyRows(table, missing, target, part.empty)
      copied += missing.length
      progress(table.name, way.isNew ? rows.length : missing.length)
      if (rows.length < AT_ONCE || !last) break
      after = keyOf(table, last)
    }
  }
  return copied
}

async function missingOf(
  table: Table,
  part: Part,
  rows: readonly Row[],
  target: Target,
): Promise<Row[]> {
  const there = new Map(
    (await keysOf(table, part, target)).map(([key, hash]) => [nameOf(key), hash]),
  )
  return rows.filter((row) => there.get(nameOf(keyOf(table, row))) !== hashOf(table.hashed(row)))
}

async function copyRows(
  { name, columns, freed, key }: Table,
  rows: readonly Row[],
  target: Target,
  isEmpty: boolean,
): Promise<void> {
  const list = columns.map((column) => `"${column}"`).join(', ')
  if (isEmpty || freed === null) {
    return await target.copy(`COPY ${name} (${list}) FROM STDIN`, copyChunks(rows))
  }
  await target.transaction(async () => {
    await target.all(`CREATE TEMP TABLE changed (LIKE ${name}) ON COMMIT DROP`)
    await target.copy(`COPY changed (${list}) FROM STDIN`, copyChunks(rows))
    await target.all(`INSERT INTO ${name} (${list}) SELECT ${list} FROM changed
      ON CONFLICT (${key.map((column) => column.name).join(', ')}) DO UPDATE
      SET ${columns.map((column) => `"${column}" = excluded."${column}"`).join(', ')}`)
  })
}

function digestOfRows(table: Table, rows: readonly Row[]): Digest {
  const sum = createSum()
  for (const row of rows) sum.add(table.hashed(row))
  return sum.digest()
}

async function digestOfParts({ table, parts }: Way, target: Target): Promise<Digest> {
  let digest = NONE
  for (const part of parts) digest = plus(digest, await digestOfPart(table, part, target))
  return digest
}

function digestOfPart(table: Table, part: Part, target: Target): Promise<Digest> {
  const { condition, values } = within(table, part)
  return target.digest(table.name, table.hash, condition, values)
}

/** Keys of a part's rows in the target, and 64 bits of each row. */
async function keysOf(
  table: Table,
  part: Part,
  target: Target,
): Promise<(readonly [Row, bigint])[]> {
  const { condition, values } = within(table, part)
  const keys = table.key.map(({ name }) => `"${name}"::text`).join(', ')
  const rows = await target.all<{ k: Row; h: string }>(
    `SELECT ARRAY[${keys}] AS k, (${table.hash})::text AS h FROM ${table.name} WHERE ${condition}`,
    values,
  )
  return rows.map(({ k, h }) => [k, digestOf(1, h).sum] as const)
}

/** A key as one text. */
function nameOf(key: Row): string {
  return key.join('\x1f')
}

/** The condition that a row is of a part. */
function within({ key }: Table, { after, upTo }: Part) {
  const names = key.map(({ name }) => `"${name}"`).join(', ')
  const values: unknown[] = []
  const tests = ['true']
  for (const [sign, bound] of [
    ['>', after],
    ['<=', upTo],
  ] as const) {
    if (bound === null) continue
    const marks = key.map(({ type }, i) => `$${values.push(bound[i])}::${type}`)
    tests.push(`(${names}) ${sign} (${marks.join(', ')})`)
  }
  return { condition: tests.join(' AND '), values }
}

/** The condition that a row has one of some keys. */
function among({ key }: Table, keys: readonly Row[]) {
  const names = key.map(({ name }) => `"${name}"`).join(', ')
  const values = key.map((_, i) => keys.map((row) => row[i]))
  const lists = key.map(({ type }, i) => `$${i + 1}::${type}[]`)
  return { condition: `(${names}) IN (SELECT * FROM unnest(${lists.join(', ')}))`, values }
}
