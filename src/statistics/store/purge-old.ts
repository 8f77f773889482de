import type { StatisticsConnection } from './duckdb.ts'
import type { Chore } from './maintenance.ts'
import { dropRollUps } from './rollups.ts'
import { SLOTS_PER_DAY } from './schema.ts'

const DAY_MS = 86_400_000

/** Turns clicks that are older than their workspace's plan keeps them into totals of their day. */
export interface RetentionPurge extends Chore {
  /** True: it is another one than before. */
  set(retention: readonly (readonly [workspaceNo: number, days: number | null])[]): boolean
}

/** A day at a time: its totals are written and its clicks deleted in one transaction. */
export function createRetentionPurge(connection: StatisticsConnection): RetentionPurge {
  let kept: readonly (readonly [number, number])[] = []
  let known = ''

  async function setLimits(now: number): Promise<void> {
    const today = Math.floor(now / DAY_MS)
    await connection.run(
      'CREATE OR REPLACE TEMP TABLE limits (workspace BIGINT NOT NULL, before INTEGER NOT NULL)',
    )
    for (let at = 0; at < kept.length; at += 1_000) {
      const rows = kept
        .slice(at, at + 1_000)
        .map(([workspace, days]) => `(${workspace}, ${(today - days) * SLOTS_PER_DAY})`)
      await connection.run(`INSERT INTO limits VALUES ${rows.join(', ')}`)
    }
  }

  async function purge(day: number): Promise<void> {
    const from = day * SLOTS_PER_DAY
    const range = [from, from + SLOTS_PER_DAY]
    const old = `slot >= ? AND slot < ?
      AND (link >> 32) IN (SELECT workspace FROM limits WHERE before > ${from})`
    await connection.run('BEGIN')
    try {
      await dropRollUps(
        connection,
        `SELECT workspace, ${day} AS day FROM limits WHERE before > ${from}`,
      )
      await connection.run(
        `INSERT INTO daily
         SELECT link, ${day}, kind, count(*), sum((firsts >> 1) & 1), sum(firsts & 1)
         FROM clicks WHERE ${old} GROUP BY link, kind ORDER BY link, kind`,
        range,
      )
      await connection.run(`DELETE FROM clicks WHERE ${old}`, range)
      await connection.run('COMMIT')
    } catch (error) {
      await connection.run('ROLLBACK').catch(() => {})
      throw error
    }
  }

  return {
    set(retention) {
      const next = JSON.stringify(retention)
      if (next === known) return false
      known = next
      kept = retention.filter((entry): entry is readonly [number, number] => entry[1] !== null)
      return true
    },
    async step(now) {
      if (kept.length === 0) return false
      await setLimits(now)
      const [oldest] = await connection.all<{ slot: number | null }>(
        `SELECT min(slot) AS slot FROM clicks JOIN limits ON (link >> 32) = workspace
         WHERE slot < before`,
      )
      if (oldest?.slot == null) return false
      await purge(Math.floor(oldest.slot / SLOTS_PER_DAY))
      return true
    },
  }
}
