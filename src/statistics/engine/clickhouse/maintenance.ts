import { SEQS_PER_WORKSPACE } from '../../../platform/storage/index.ts'
import { DAILY_COLUMNS } from '../../columns.ts'
import { DAY_MS } from '../../intervals.ts'
import { purgedDaysSql } from '../purged-days.ts'
import type { Retention } from '../shared/rounds.ts'
import { daysSql } from '../shared/summing.ts'
import type { LinkNumbers } from '../types.ts'
import type { ClickHouse } from './client.ts'
import { dialect, linkNumbers } from './reports.ts'
import { SYNC, summingIn, unsettle } from './summing.ts'

export { summingIn }

/** Days of which one step counts the totals. */
const DAYS_PER_STEP = 31

/**
 * One step of replacing clicks past their workspace's retention by the totals of their day. First
 * the totals are written, which may happen twice, because they replace themselves; then `purged`
 * makes them count; then the clicks are deleted, which no report notices. Clicks that are stored
 * after that appear in no report. @returns whether there is more to do
 */
export async function purgeExpired(
  clickHouse: ClickHouse,
  retention: Retention,
  now: number,
): Promise<boolean> {
  const today = Math.floor(now / DAY_MS)
  for (const [days, entries] of Map.groupBy(retention, ([, kept]) => kept)) {
    const workspaces = entries.map(([workspace]) => workspace).join(',')
    if (await purgeBefore(clickHouse, workspaces, today - days)) return true
  }
  return false
}

/** Purges the oldest clicks of some workspaces before a UTC day. False: there are none. */
async function purgeBefore(
  clickHouse: ClickHouse,
  workspaces: string,
  before: number,
): Promise<boolean> {
  const [oldest] = await clickHouse.rows(
    `SELECT intDiv(min(time), ${DAY_MS}), count() FROM clicks
     WHERE workspace IN (${workspaces}) AND time < ${before * DAY_MS}`,
  )
  if (oldest === undefined || Number(oldest[1]) === 0) return false
  const upTo = Math.min(before, Number(oldest[0]) + DAYS_PER_STEP)
  const expired = `workspace IN (${workspaces}) AND time < ${upTo * DAY_MS}`
  // Of a round that was interrupted, days that count already are only deleted.
  await clickHouse.command(
    `INSERT INTO daily (${DAILY_COLUMNS.join(', ')})
     ${purgedDaysSql(dialect.table('clicks', null), expired)}`,
  )
  await clickHouse.command(
    `INSERT INTO purged (workspace, before)
     SELECT DISTINCT workspace, ${upTo} FROM clicks WHERE ${expired}`,
  )
  await clickHouse.command(`DELETE FROM clicks WHERE ${expired}`, SYNC)
  for (const table of ['click_sums', 'summed_days']) {
    const old = `workspace IN (${workspaces}) AND day < ${upTo}`
    const [found] = await clickHouse.rows(`SELECT count() FROM ${table} WHERE ${old}`)
    if (Number(found?.[0]) > 0) await clickHouse.command(`DELETE FROM ${table} WHERE ${old}`, SYNC)
  }
  return true
}

/** Deletes a link's clicks before a time and totals of days before it; gives what is left of it. */
export async function* forgetClicks(
  clickHouse: ClickHouse,
  link: number,
  before: number,
): AsyncGenerator<LinkNumbers, undefined> {
  const ofLink = `workspace = ${Math.floor(link / SEQS_PER_WORKSPACE)} AND link = ${link}`
  const day = Math.floor(before / DAY_MS)
  const days = await clickHouse.rows(daysSql('clicks', `${ofLink} AND time < ${before}`))
  for (const [table, old] of [
    ['clicks', `time < ${before}`],
    ['daily', `day < ${day}`],
  ] as const) {
    const [found] = await clickHouse.rows(`SELECT count() FROM ${table} WHERE ${ofLink} AND ${old}`)
    // A delete that finds nothing costs a mutation all the same.
    if (Number(found?.[0] ?? 0) === 0) continue
    await clickHouse.command(`DELETE FROM ${table} WHERE ${ofLink} AND ${old}`, SYNC)
  }
  await unsettle(clickHouse, days.map(pairOf))
  return yield* linkNumbers(clickHouse, [link, link + 1])
}

/** Deletes clicks and totals of links. */
export async function deleteLinks(clickHouse: ClickHouse, seqs: readonly number[]): Promise<false> {
  const links = seqs.map((seq) => `(${Math.floor(seq / SEQS_PER_WORKSPACE)},${seq})`).join(',')
  const days = await clickHouse.rows(daysSql('clicks', `(workspace, link) IN (${links})`))
  for (const table of ['clicks', 'daily']) {
    await clickHouse.command(`DELETE FROM ${table} WHERE (workspace, link) IN (${links})`, SYNC)
  }
  await unsettle(clickHouse, days.map(pairOf))
  return false
}

const pairOf = ([workspace, day]: unknown[]): [number, number] => [Number(workspace), Number(day)]
