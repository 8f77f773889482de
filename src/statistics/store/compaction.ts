import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statfsSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { StatisticsConnection, StatisticsDatabase } from './duckdb.ts'
import { STORED_COLUMNS, storedSql } from './schema.ts'
import { FILE_OPTIONS, TABLES } from './tables.ts'

// Each checkpoint needs some 10 MB of free room, for the two or three row groups that it writes anew, whatever
// the size of the file: a copy would have it again the next day. What putting a month in order leaves free
// is more, so that a file with a year is copied once a month: ten million clicks take 24 s of a processor.
// `perStep`: two row groups.
const SIZES = { least: 16 * 1024 * 1024, part: 0.07, perStep: 122_880 }
/** How much more room than the copy takes must be on the disk. */
const MARGIN = 1.25

/** When a file is copied, and how much of it in a step. */
export interface CompactionSizes {
  /** Bytes of the file that hold nothing, and which part of it that must be. */
  least: number
  part: number
  /** Clicks copied in one transaction, about. */
  perStep: number
}

/**
 * Copies the file into a smaller one when much of it holds nothing, because DuckDB gives only what is
 * at its end back to the disk.
 */
export interface Compaction {
  /** Does a step. False: there is nothing left to do, or to copy. */
  step(): Promise<boolean>
  /** True: a copy is there, but for the clicks that have come since. */
  readonly ready: boolean
  /**
   * Completes the copy and puts it in the place of the file, unless so much has come that another step
   * is better first. Nothing else may use the database meanwhile. True: the process must end without
   * writing anything, because what it has open is no longer the file; false: all is as before.
   */
  replace(): Promise<boolean>
  /** Gives the copy up: the file is about to change in other ways than by new clicks. */
  abandon(): Promise<void>
}

interface Copy {
  file: string
  /** Holds a transaction, so that rows stay where they are. */
  pin: StatisticsConnection
  work: StatisticsConnection
  /** Row ids from this one on aren't copied yet. */
  next: number
  /** What a stored column is made of. */
  columns: string
  /** `work` is in a transaction, which sees the clicks of its beginning. */
  isSweeping: boolean
  isReady: boolean
}

/** What differs when a click is missing, twice there, or another one. */
const CLICK_SUMS = 'count(*), sum(link), sum(slot), sum(ms), sum(n), sum(firsts), bit_xor(visitor)'
const NAME = 'compacted'
const STORED_SQL = `SELECT ${STORED_COLUMNS.join(', ')} FROM source`

/**
 * A copy is made beside the file, under a name that nobody opens, in steps, while clicks are stored
 * and questions answered from the file. DuckDB holds a lock on both, so that a process that opens the
 * file's name at any moment meets a lock or a whole file; killed at any moment, what is there under
 * the name is the old file with its log, or the new one. Copies left behind go at the next start.
 */
export async function createCompaction(
  database: Pick<StatisticsDatabase, 'connect' | 'file'>,
  sizes: Partial<CompactionSizes> = {},
): Promise<Compaction> {
  const { least, part, perStep } = { ...SIZES, ...sizes }
  const { file } = database
  const directory = dirname(file)
  const prefix = `${basename(file)}.${NAME}-`
  const connection = await database.connect()
  const [own] = await connection.all<{ name: string }>('SELECT current_database() AS name')
  const source = `"${own?.name.replaceAll('"', '""')}"`
  let copy: Copy | undefined
  // Whoever gets here has the file open: nobody else makes copies of it.
  removeCopies()

  function removeCopies(): void {
    for (const name of readdirSync(directory)) {
      if (name.startsWith(prefix)) rmSync(join(directory, name), { force: true })
    }
  }

  async function isWorthIt(): Promise<boolean> {
    const [row] = await connection.all<Record<'block' | 'free_blocks' | 'used_blocks', bigint>>(
      `SELECT block_size AS block, free_blocks, used_blocks FROM pragma_database_size()
       WHERE database_name = current_database()`,
    )
    const block = Number(row?.block)
    const free = Number(row?.free_blocks) * block
    const used = Number(row?.used_blocks) * block
    // Rows that were deleted keep their place in a row group until it is nearly empty.
    const [clicks] = await connection.all<{ rows: bigint; last: bigint | null }>(
      'SELECT count(*) AS rows, max(rowid) AS last FROM clicks',
    )
    const places = Number(clicks?.last ?? -1n) + 1
    const dead = places === 0 ? 0 : used * (1 - Number(clicks?.rows) / places)
    if (free + dead < least || free + dead < part * (free + used)) return false
    const { bavail, bsize } = statfsSync(directory)
    return bavail * bsize > used * MARGIN
  }

  async function begin(): Promise<Copy> {
    const path = join(directory, `${prefix}${process.pid}`)
    const pin = await database.connect()
    const work = await database.connect()
    await pin.run('BEGIN TRANSACTION READ ONLY')
    await pin.all('SELECT count(*) FROM watermark')
    await work.run(`ATTACH '${path.replaceAll("'", "''")}' AS ${NAME} (${FILE_OPTIONS})`)
    await work.run(`USE ${NAME}`)
    for (const table of TABLES) await work.run(table)
    await work.run(`USE ${source}`)
    const columns = (await isOfBefore(connection)) ? storedSql('source') : STORED_SQL
    return { file: path, pin, work, next: 0, columns, isSweeping: false, isReady: false }
  }

  /**
   * Copies some clicks: whole row groups, whatever was deleted between them. All that there are at
   * its beginning in one transaction, because each leaves blocks behind that are half empty.
   * False: there was no whole step left.
   */
  async function copySome(it: Copy): Promise<boolean> {
    if (!it.isSweeping) {
      await it.work.run('BEGIN')
      it.isSweeping = true
    }
    const end = await endOfStep(it)
    if (end !== null) {
      await copyRows(it, end)
      return true
    }
    await it.work.run('COMMIT')
    it.isSweeping = false
    return (await endOfStep(it)) !== null
  }

  /** Where so many clicks end; null: there are fewer. */
  async function endOfStep({ work, next }: Copy): Promise<number | null> {
    const [row] = await work.all<{ id: bigint }>(
      `SELECT rowid AS id FROM ${source}.clicks
       WHERE rowid >= ${next} AND rowid < ${next + 2 * perStep}
       ORDER BY id LIMIT 1 OFFSET ${perStep - 1}`,
    )
    if (row !== undefined) return Number(row.id) + 1
    return next + 2 * perStep < (await endOfRows(work)) ? next + 2 * perStep : null
  }

  async function endOfRows(work: StatisticsConnection): Promise<number> {
    const [row] = await work.all<{ last: bigint | null }>(
      `SELECT max(rowid) AS last FROM ${source}.clicks`,
    )
    return Number(row?.last ?? -1n) + 1
  }

  async function copyRows(it: Copy, end: number): Promise<void> {
    await it.work.run(
      `INSERT INTO ${NAME}.clicks (${STORED_COLUMNS.join(', ')})
       WITH source AS (SELECT * FROM ${source}.clicks WHERE rowid >= ${it.next} AND rowid < ${end})
       ${it.columns}`,
    )
    it.next = end
  }

  async function copyTheRest(it: Copy): Promise<void> {
    await copyRows(it, await endOfRows(it.work))
    const tables = await it.work.all<{ name: string }>(
      `SELECT table_name AS name FROM duckdb_tables()
       WHERE database_name = current_database() AND NOT temporary AND table_name <> 'clicks'`,
    )
    for (const { name } of tables) {
      await it.work.run(`INSERT INTO ${NAME}."${name}" SELECT * FROM ${source}."${name}"`)
    }
    for (const name of ['clicks', ...tables.map((table) => table.name)]) await compare(it, name)
  }

  /** @throws when a table of the copy isn't the file's */
  async function compare({ work }: Copy, table: string): Promise<void> {
    const sums = table === 'clicks' ? CLICK_SUMS : 'count(*)'
    const [rows, copied] = [source, NAME].map((where) =>
      work.all<{ sums: string }>(`SELECT [${sums}]::VARCHAR AS sums FROM ${where}."${table}"`),
    )
    if ((await rows)?.[0]?.sums !== (await copied)?.[0]?.sums) {
      throw new Error(`The copy of ${table} differs`)
    }
  }

  async function abandon(): Promise<void> {
    const it = copy
    if (it === undefined) return
    copy = undefined
    it.pin.close()
    it.work.close()
    await connection.run(`DETACH ${NAME}`).catch(() => {})
    removeCopies()
  }

  return {
    get ready() {
      return copy?.isReady ?? false
    },
    async step() {
      if (copy === undefined) {
        if (!(await isWorthIt())) return false
        copy = await begin()
        return true
      }
      try {
        const more = await copySome(copy)
        copy.isReady = !more
        return more
      } catch {
        // No room, as a rule. The file is as it was.
        await abandon()
        return false
      }
    },
    async replace() {
      if (copy === undefined) return false
      try {
        if (await copySome(copy)) return false
        await copyTheRest(copy)
        copy.pin.close()
        // Each syncs its file and empties its log. By DuckDB alone: a descriptor of our own would take
        // its lock away when it is closed.
        await connection.run(`CHECKPOINT ${NAME}`)
        await connection.run(`CHECKPOINT ${source}`)
        if (logBytes(file) > 0 || logBytes(copy.file) > 0) throw new Error('A log is not empty')
        renameSync(copy.file, file)
      } catch {
        await abandon()
        return false
      }
      syncDirectory(directory)
      return true
    },
    abandon,
  }
}

/** Whether a file has its clicks in another form than today's, which only a copy changes. */
export async function isOfBefore(connection: StatisticsConnection): Promise<boolean> {
  const rows = await connection.all<{ name: string }>(
    `SELECT column_name AS name FROM duckdb_columns()
     WHERE database_name = current_database() AND table_name = 'clicks'`,
  )
  const names = new Set(rows.map(({ name }) => name))
  return STORED_COLUMNS.some((name) => !names.has(name))
}

function logBytes(file: string): number {
  return statSync(`${file}.wal`, { throwIfNoEntry: false })?.size ?? 0
}

/** Not done, the old name may be back after a power cut: with the old file, which was left whole. */
function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } catch {
  } finally {
    closeSync(descriptor)
  }
}
