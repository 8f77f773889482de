import type { ClickHouse } from './client.ts'
import { raw, sql } from './sql.ts'
import { DAY_MS } from './where.ts'

/** Days of which totals are made at once. */
const DAYS_PER_STEP = 31
/** Workspaces of one query. */
const WORKSPACES_PER_STEP = 10_000

/**
 * One step of turning clicks that are older than their workspace's plan keeps them into totals of
 * their day. First the totals are written, which may happen twice, for they replace themselves;
 * then `purged` says that they count from now on; then the clicks are deleted, which nobody sees.
 * Clicks that come later than that, from a node that was away for as long, are in no report.
 *
 * @param kept the days for which a workspace's clicks are kept
 * @returns whether there is more to do
 */
export async function purgeRetained(
  clickHouse: ClickHouse,
  kept: readonly (readonly [workspaceNo: number, days: number])[],
  now: number,
): Promise<boolean> {
  const today = Math.floor(now / DAY_MS)
  for (const [days, all] of byDays(kept)) {
    for (let at = 0; at < all.length; at += WORKSPACES_PER_STEP) {
      const workspaces = all.slice(at, at + WORKSPACES_PER_STEP).join(', ')
      if (await purgeSome(clickHouse, workspaces, today - days)) return true
    }
  }
  return false
}

function byDays(kept: readonly (readonly [number, number])[]): Map<number, number[]> {
  const found = new Map<number, number[]>()
  for (const [workspace, days] of kept) {
    const list = found.get(days)
    if (list === undefined) found.set(days, [workspace])
    else list.push(workspace)
  }
  return found
}

/** The oldest clicks of some workspaces before a day. False: there are none. */
async function purgeSome(
  clickHouse: ClickHouse,
  workspaces: string,
  before: number,
): Promise<boolean> {
  const old = raw(`workspace IN (${workspaces}) AND time < ${before * DAY_MS}`)
  const [row] = await clickHouse.rows(
    sql`SELECT intDiv(min(time), ${DAY_MS}), count() FROM clicks WHERE ${old}`,
  )
  if (row === undefined || Number(row[1]) === 0) return false
  const upTo = Math.min(before, Number(row[0]) + DAYS_PER_STEP)
  // Those that count already, by an earlier round that was broken off, are only deleted.
  await clickHouse.command(`
    INSERT INTO daily (workspace, link, day, kind, clicks, uniques, workspace_uniques)
    WITH old AS (
      SELECT workspace, link, intDiv(time, ${DAY_MS}) AS day, time, n, visitor, kind FROM clicks
      LEFT JOIN (SELECT workspace AS w, max(before) AS done FROM purged
        WHERE workspace IN (${workspaces}) GROUP BY w) p ON p.w = clicks.workspace
      WHERE workspace IN (${workspaces}) AND time < ${upTo * DAY_MS} AND day >= done
    )
    SELECT workspace, link, day, kind, sum(c), sum(u), sum(w) FROM (
      SELECT workspace, link, day, kind, count() AS c, 0 AS u, 0 AS w FROM old
      GROUP BY workspace, link, day, kind
      UNION ALL SELECT workspace, link, day, first AS kind, 0 AS c, count() AS u, 0 AS w FROM (
        SELECT workspace, link, day, argMin(kind, (time, n)) AS first FROM old
        WHERE visitor != 0 GROUP BY workspace, link, day, visitor
      ) GROUP BY workspace, link, day, kind
      UNION ALL SELECT workspace, first.1 AS link, day, first.2 AS kind, 0 AS c, 0 AS u, count() AS w
      FROM (
        SELECT workspace, day, argMin((link, kind), (time, n)) AS first FROM old
        WHERE visitor != 0 GROUP BY workspace, day, visitor
      ) GROUP BY workspace, link, day, kind
    ) GROUP BY workspace, link, day, kind`)
  await clickHouse.command(
    `INSERT INTO purged (workspace, before)
     SELECT DISTINCT workspace, ${upTo} FROM clicks
     WHERE workspace IN (${workspaces}) AND time < ${upTo * DAY_MS}`,
  )
  await clickHouse.command(
    `DELETE FROM clicks WHERE workspace IN (${workspaces}) AND time < ${upTo * DAY_MS}`,
    { lightweight_deletes_sync: '2' },
  )
  return true
}
