import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { basename, dirname, join as path } from 'node:path'
import type { StatisticsConnection, StatisticsDatabase } from '../../store/duckdb.ts'
import { KIND_NAMES, TIME_SQL } from '../../store/schema.ts'
import { EXPORT_COLUMNS, type Selection } from '../../types.ts'
import { readRows, whileAsked } from '../lane/index.ts'
import type { LinkFacts } from '../names.ts'
import { integer, raw, type Sql, sql, text } from '../sql/index.ts'
import { meant } from '../sql/source.ts'
import { createParquetFile } from './parquet-file.ts'
import { partsOf } from './parts.ts'
import { storedNow } from './stored-now.ts'

/**
 * Clicks of a row group, which a reader holds at once, and of a part, as a rule: 120,000 don't fit into the memory
 * that DuckDB may have, and took twice as long each.
 */
const ROWS_PER_GROUP = 80_000
/**
 * A column of a group with more values is written as it is: ids of clicks and of links, which take half of the
 * time and no less room in a dictionary of DuckDB's own bound, a fifth of the clicks.
 */
const DICTIONARY_VALUES = 2_000
const NAMES_AT_ONCE = 5_000
/** Ids of links that are remembered from part to part. */
const NAMES_REMEMBERED = 200_000
const CHUNK_BYTES = 256 * 1024

/** Columns that aren't called the same in the table. */
const COMPUTED: Partial<Record<(typeof EXPORT_COLUMNS)[number], string>> = {
  id: `concat(${TIME_SQL}, '-', n)`,
  clicked_at: `make_timestamp(${TIME_SQL} * 1000)`,
  link: 'link_names.name',
  domain: 'domain_names.name',
  kind: `CASE kind ${KIND_NAMES.map((name, kind) => `WHEN ${kind} THEN '${name}'`).join(' ')} END`,
  trigger: `if(qr, 'qr', 'click')`,
}

const COLUMNS = EXPORT_COLUMNS.map((name) => `${COMPUTED[name] ?? `clicks."${name}"`} AS "${name}"`)

/**
 * Writes Parquet a part of the time after the other, each into a file beside the statistics, because
 * DuckDB writes whole files; they leave as one. What is on the disk of them is a part at most.
 */
export function createParquet(
  database: Pick<StatisticsDatabase, 'connect' | 'file' | 'releaseMemory'>,
  names: LinkFacts,
) {
  const place = dirname(database.file)
  const prefix = `${basename(database.file)}.export-`
  // Left behind by a process that was killed: there is only one at a time.
  for (const left of readdirSync(place)) {
    if (left.startsWith(prefix)) rmSync(path(place, left), { recursive: true, force: true })
  }

  return async function* write(
    selection: Selection,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array, undefined> {
    const directory = mkdtempSync(path(place, prefix))
    const file = path(directory, 'part.parquet')
    try {
      const connection = await database.connect()
      try {
        const whole = createParquetFile()
        const stored = await storedNow(connection, selection, signal)
        await makeTables(connection)
        for (const part of await partsOf(connection, stored, ROWS_PER_GROUP, signal)) {
          await name(connection, part, signal)
          // The names' way here, and what was read before: putting clicks in order needs the room.
          Bun.gc(true)
          await database.releaseMemory()
          await execute(connection, copy(part, file), signal)
          const pages = whole.add(await Bun.file(file).bytes())
          for (let at = 0; at < pages.length; at += CHUNK_BYTES) {
            yield pages.slice(at, at + CHUNK_BYTES)
          }
        }
        yield whole.end()
      } finally {
        connection.close()
      }
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
    return undefined
  }

  /** Tables of names; they go with the connection. */
  async function makeTables(connection: StatisticsConnection): Promise<void> {
    await connection.run('CREATE TEMP TABLE link_names (no BIGINT, name VARCHAR)')
    await connection.run('CREATE TEMP TABLE domain_names (no BIGINT, name VARCHAR)')
    await insert(connection, 'domain_names', await names.domains())
  }

  /** Learns the names of the links that a part is the first one to need. */
  async function name(
    connection: StatisticsConnection,
    part: Selection,
    signal: AbortSignal,
  ): Promise<void> {
    const [known] = await readRows(connection, sql`SELECT count(*) FROM link_names`, signal)
    if (Number(known?.[0]) > NAMES_REMEMBERED) await connection.run('DELETE FROM link_names')
    const links = await readRows(
      connection,
      sql`SELECT DISTINCT link FROM clicks WHERE ${meant(part)}
        AND link NOT IN (SELECT no FROM link_names)`,
      signal,
    )
    for (let at = 0; at < links.length; at += NAMES_AT_ONCE) {
      const seqs = links.slice(at, at + NAMES_AT_ONCE).map(([seq]) => Number(seq))
      await insert(connection, 'link_names', await names.links(seqs))
    }
  }
}

async function insert(
  connection: StatisticsConnection,
  table: 'link_names' | 'domain_names',
  names: ReadonlyMap<number, string>,
): Promise<void> {
  if (names.size === 0) return
  // JSON holds whatever a name may be made of.
  const list = JSON.stringify([...names].map(([no, name]) => ({ no, name })))
  await execute(
    connection,
    sql`INSERT INTO ${raw(table)} SELECT r.no, r.name FROM (
      SELECT unnest(from_json(${text(list)}, '[{"no":"BIGINT","name":"VARCHAR"}]')) AS r)`,
  )
}

async function execute(
  connection: StatisticsConnection,
  { text: statement, values }: Sql,
  signal?: AbortSignal,
): Promise<void> {
  await whileAsked(connection, signal, () =>
    connection.raw.run(
      statement,
      values.map(({ value }) => value),
      values.map(({ type }) => type),
    ),
  )
}

function copy(selection: Selection, file: string): Sql {
  const target = file.replaceAll("'", "''")
  return sql`COPY (
    SELECT ${raw(COLUMNS.join(', '))}
    FROM (SELECT * FROM clicks WHERE ${meant(selection)}) AS clicks
    LEFT JOIN link_names ON link_names.no = clicks.link
    LEFT JOIN domain_names ON domain_names.no = clicks.domain
    ORDER BY slot, ms, n
  ) TO '${raw(target)}' (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${integer(ROWS_PER_GROUP)},
    DICTIONARY_SIZE_LIMIT ${integer(DICTIONARY_VALUES)})`
}
