import { existsSync } from 'node:fs'
import { openSqlite, type SqliteConnection } from '../../storage/index.ts'
import type { StatisticsConnection } from './duckdb.ts'
import { FIRST_COLUMNS } from './firsts.ts'
import type { Chore } from './maintenance.ts'
import { dropRollUps } from './rollups.ts'
import { ALL_FIRSTS, FIRST } from './schema.ts'

/** Clicks deleted in one transaction, about. */
const CLICKS_PER_STEP = 200_000
const LINKS_PER_STEP = 2_000
const LINKS_COMPARED = 5_000

interface Doomed {
  link: number
  clicks: number
}

/**
 * Deletes the clicks of links that are gone for good: neither among the links nor among the
 * deleted ones that can still be restored. A visitor of theirs who also came elsewhere gets another
 * click as the first of the day.
 */
export function createLinkPurge(
  connection: StatisticsConnection,
  mainFile: string,
  changed: () => void,
  clicksPerStep = CLICKS_PER_STEP,
): Chore {
  let doomed: Doomed[] | undefined

  async function look(): Promise<Doomed[]> {
    const rows = await connection.all<{ link: bigint; clicks: bigint }>(
      `SELECT link, sum(clicks)::BIGINT AS clicks FROM (
         SELECT link, count(*) AS clicks FROM clicks GROUP BY link
         UNION ALL SELECT DISTINCT link, 0 FROM daily
       ) GROUP BY link ORDER BY link`,
    )
    const found = rows.map(({ link, clicks }) => ({ link: Number(link), clicks: Number(clicks) }))
    if (found.length === 0 || !existsSync(mainFile)) return []
    const main = openSqlite(mainFile, { readonly: true, cacheBytes: 1_048_576 })
    try {
      return gone(main, found)
    } finally {
      main.close()
    }
  }

  async function purge(links: readonly number[], before: number): Promise<void> {
    const which = `link IN (${links.join(', ')}) AND slot < ${before}`
    await connection.run('BEGIN')
    try {
      await dropRollUps(
        connection,
        `SELECT DISTINCT link >> 32 AS workspace, slot // 96 AS day FROM clicks WHERE ${which}`,
      )
      await connection.run(
        `CREATE OR REPLACE TEMP TABLE affected AS
         SELECT DISTINCT link >> 32 AS workspace, slot // 96 AS day, visitor FROM clicks
         WHERE ${which} AND (firsts & ${ALL_FIRSTS & ~FIRST.link}) <> 0`,
      )
      await connection.run(`DELETE FROM clicks WHERE ${which}`)
      await connection.run(`DELETE FROM daily WHERE link IN (${links.join(', ')})`)
      await connection.run(FIND_NEW_FIRSTS)
      await connection.run(
        `UPDATE clicks SET firsts = found.firsts, first_slot = found.first_slot
         FROM found WHERE clicks.rowid = found.id`,
      )
      await connection.run('COMMIT')
    } catch (error) {
      await connection.run('ROLLBACK').catch(() => {})
      throw error
    }
    changed()
  }

  /** The slot before which a link has about as many clicks as one step deletes. */
  async function partOf(link: number): Promise<number> {
    const [row] = await connection.all<{ slot: number | null }>(
      `SELECT max(slot) AS slot FROM (
         SELECT slot FROM clicks WHERE link = ${link} ORDER BY slot LIMIT ${clicksPerStep})`,
    )
    return (row?.slot ?? 0) + 1
  }

  return {
    async step() {
      doomed ??= await look()
      const first = doomed[0]
      if (first === undefined) {
        doomed = undefined
        return false
      }
      if (first.clicks > clicksPerStep) {
        await purge([first.link], await partOf(first.link))
        first.clicks -= clicksPerStep
        return true
      }
      let clicks = 0
      let count = 0
      for (const next of doomed) {
        clicks += next.clicks
        if (count > 0 && (clicks > clicksPerStep || count === LINKS_PER_STEP)) break
        count++
      }
      await purge(
        doomed.splice(0, count).map(({ link }) => link),
        ALL_SLOTS,
      )
      return true
    },
  }
}

const ALL_SLOTS = 2_147_483_647

/** The firsts of all that is left of the affected visitors' days; those rows that change. */
const FIND_NEW_FIRSTS = `CREATE OR REPLACE TEMP TABLE found AS
  SELECT * FROM (
    SELECT clicks.rowid AS id, clicks.firsts AS old, clicks.first_slot AS old_slot,
      (first_value(slot) OVER (PARTITION BY workspace, day, clicks.visitor ORDER BY slot, ms, n) % 96)
        ::UTINYINT AS first_slot,
      -- What all of a visitor's clicks have in common is common to those that are left.
      ((clicks.firsts & ${0xffff & ~ALL_FIRSTS}) + ${[
        bitSql(FIRST.workspace, ''),
        bitSql(FIRST.link, ', link'),
        ...FIRST_COLUMNS.map(([column, bit]) => bitSql(bit, `, ${column}`)),
      ].join(' + ')})::USMALLINT AS firsts
    FROM clicks JOIN affected
      ON (link >> 32) = workspace AND slot // 96 = day AND clicks.visitor = affected.visitor
    WHERE slot >= (SELECT min(day) * 96 FROM affected)
      AND slot < (SELECT (max(day) + 1) * 96 FROM affected)
  ) WHERE old <> firsts OR old_slot <> first_slot`

function bitSql(bit: number, by: string): string {
  return `CASE WHEN row_number() OVER (
    PARTITION BY workspace, day, clicks.visitor${by} ORDER BY slot, ms, n) = 1 THEN ${bit} ELSE 0 END`
}

/** Those that the main database doesn't know; `found` in the order of the links. */
function gone({ raw }: SqliteConnection, found: Doomed[]): Doomed[] {
  const tables = raw
    .query("SELECT name FROM sqlite_schema WHERE name IN ('links', 'deleted_links')")
    .values()
    .flat() as string[]
  if (!tables.includes('links')) return []
  // One snapshot: a link that moves from one table to the other in between is in neither.
  raw.run('BEGIN')
  const statements = tables.map((table) =>
    raw.query<{ seq: number }, [number, number]>(
      `SELECT seq FROM ${table} WHERE seq >= ? AND seq <= ?`,
    ),
  )
  const missing: Doomed[] = []
  for (let at = 0; at < found.length; at += LINKS_COMPARED) {
    const part = found.slice(at, at + LINKS_COMPARED)
    const known = new Set<number>()
    for (const statement of statements) {
      const range = [part[0]?.link ?? 0, part.at(-1)?.link ?? 0] as const
      for (const { seq } of statement.all(...range)) known.add(seq)
    }
    missing.push(...part.filter(({ link }) => !known.has(link)))
  }
  return missing
}
