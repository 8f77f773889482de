import type { MaintenanceTask } from '../shared/rounds.ts'
import { createSumming, sumSql, unsumSql } from '../shared/summing.ts'
import type { ClickHouse } from './client.ts'
import { dialect } from './reports.ts'

/** A delete is answered when its rows are gone. */
export const SYNC = { lightweight_deletes_sync: '2' } as const

/** The server's time in microseconds: later versions are greater. */
export const NOW = 'toUnixTimestamp64Micro(now64(6))'

/**
 * Sums days that are over; see `createSumming`. Versions stand in for transactions: that of sums is from
 * before the clicks are read, so clicks that are stored meanwhile make a later one.
 */
export function summingIn(clickHouse: ClickHouse, clicksAtLeast?: number): MaintenanceTask {
  return createSumming({
    dialect,
    query: (text) => clickHouse.rows(text),
    async replace(days) {
      const { workspace, first, end } = days
      const [row] = await clickHouse.rows(
        `SELECT ${NOW}, count() FROM summed_days
        WHERE workspace = ${workspace} AND day >= ${first} AND day < ${end}`,
      )
      const version = String(row?.[0])
      for (const statement of sumSql(dialect, days, version)) await clickHouse.command(statement)
      // A delete that finds nothing costs a mutation all the same.
      if (Number(row?.[1]) === 0) return
      for (const statement of unsumSql(days)) {
        await clickHouse.command(`${statement} AND version < ${version}`, SYNC)
      }
    },
    clicksAtLeast,
  })
}

/** The sums of these days don't count until they are renewed. Called when their clicks have changed. */
export async function unsettle(
  clickHouse: ClickHouse,
  days: readonly (readonly [workspace: number, day: number])[],
): Promise<void> {
  if (days.length === 0) return
  const list = days.map(([workspace, day]) => `(${workspace}, ${day})`).join(', ')
  await clickHouse.command(
    `INSERT INTO summed_days (workspace, day, clicks, version)
    SELECT tupleElement(it, 1), tupleElement(it, 2), -1, ${NOW} FROM (SELECT arrayJoin([${list}]) AS it)`,
  )
}
