import { sql } from 'kysely'
import type { Storage } from '../../storage/index.ts'
import type { Kept } from '../shared/upkeep.ts'
import { DAY_MS, numbers, type Part, whole } from './where.ts'

/** Workspaces whose oldest click is looked for at once. */
const WORKSPACES_AT_ONCE = 1_000
/** Days of workspaces that one step purges. */
const DAYS_PER_STEP = 20
/** Clicks of links that are gone, deleted in one transaction. */
const CLICKS_PER_STEP = 50_000

/**
 * One step of turning clicks that are older than their workspace's plan keeps them into totals of
 * their day: a workspace's day is counted and deleted in one transaction. What comes later than
 * that, from a node that was away for as long, is added to the day.
 *
 * @returns whether there is more to do
 */
export async function purgeRetained(
  storage: Pick<Storage, 'read' | 'write'>,
  kept: Kept,
  now: number,
): Promise<boolean> {
  const today = Math.floor(now / DAY_MS)
  let left = DAYS_PER_STEP
  for (let at = 0; at < kept.length; at += WORKSPACES_AT_ONCE) {
    for (const { workspace, day } of await oldestOf(
      storage,
      kept.slice(at, at + WORKSPACES_AT_ONCE),
      today,
    )) {
      await storage.write((tx) => purgeDay(workspace, day).execute(tx.db))
      if (--left === 0) return true
    }
  }
  // Workspaces whose oldest day is gone now may have another one.
  return left < DAYS_PER_STEP
}

/** The oldest days of some workspaces that are kept no longer. */
async function oldestOf(storage: Pick<Storage, 'read'>, kept: Kept, today: number) {
  const { rows } = await sql<{ workspace: number; day: number }>`
    SELECT workspace, oldest / ${whole(DAY_MS)} AS day FROM (
      SELECT w AS workspace, before,
        (SELECT time FROM clicks WHERE workspace_no = w ORDER BY time LIMIT 1) AS oldest
      FROM unnest(${numbers(kept.map(([workspace]) => workspace))},
        ${numbers(kept.map(([, days]) => (today - days) * DAY_MS))}) AS k (w, before)
    ) k WHERE oldest < before`.execute(storage.read.db)
  return rows
}

/** A visitor's first click of the day tells to which link and kind they belong. */
function purgeDay(workspace: number, day: number): Part {
  const isFirst = (of: Part) =>
    sql`(visitor IS NOT NULL AND row_number() OVER (PARTITION BY ${of} ORDER BY time, n) = 1)::int`
  return sql`
    WITH old AS (
      DELETE FROM clicks WHERE workspace_no = ${whole(workspace)}
        AND time >= ${whole(day * DAY_MS)} AND time < ${whole((day + 1) * DAY_MS)}
      RETURNING link_seq, kind, time, n, visitor
    ), marked AS (
      SELECT link_seq, kind, ${isFirst(sql.raw('link_seq, visitor'))} AS of_link,
        ${isFirst(sql.raw('visitor'))} AS of_workspace
      FROM old
    )
    INSERT INTO click_days (link_seq, day, kind, workspace_no, clicks, uniques, workspace_uniques)
    SELECT link_seq, ${whole(day)}, kind, ${whole(workspace)}, count(*), sum(of_link),
      sum(of_workspace)
    FROM marked GROUP BY link_seq, kind ORDER BY link_seq, kind
    ON CONFLICT (link_seq, day, kind) DO UPDATE SET clicks = click_days.clicks + excluded.clicks,
      uniques = click_days.uniques + excluded.uniques,
      workspace_uniques = click_days.workspace_uniques + excluded.workspace_uniques`
}

/** Deletes clicks of links that are gone. True: there are more. */
export function deleteLinks(
  storage: Pick<Storage, 'write'>,
  seqs: readonly number[],
): Promise<boolean> {
  return storage.write(async (tx) => {
    await sql`DELETE FROM clicks WHERE ctid = ANY(ARRAY(
      SELECT ctid FROM clicks WHERE link_seq = ANY(${numbers(seqs)})
      LIMIT ${whole(CLICKS_PER_STEP)}))`.execute(tx.db)
    const { rows } = await sql`SELECT 1 FROM clicks WHERE link_seq = ANY(${numbers(seqs)})
      LIMIT 1`.execute(tx.db)
    if (rows.length > 0) return true
    await sql`DELETE FROM click_days WHERE link_seq = ANY(${numbers(seqs)})`.execute(tx.db)
    return false
  })
}
