import type { StatisticsConnection } from './duckdb.ts'
import type { Chore } from './maintenance.ts'
import { SLOTS_PER_DAY, STORED_COLUMNS } from './schema.ts'
import { steadySql } from './steady.ts'

const DAY_MS = 86_400_000
/** After a day's end, until its last clicks have surely come. */
const MARGIN_MS = 3_600_000
/** `month`: fewer clicks lie in one or two row groups anyway. */
// `perStep`: 330 MB at most, with what a step leaves behind.
const SIZES = { month: 122_880, perStep: 100_000 }
/** What may have come late without being worth another round: a twentieth, and a few. */
const LATE = { part: 1.05, few: 1_000 }

/** How much is put in order, in clicks. */
export interface OrderingSizes {
  /** Months with fewer are left as their days are. */
  month: number
  /** Rewritten in one transaction, about; a day always in one. */
  perStep: number
}

/** Days before this one (UTC, since the epoch) stand still. */
export function stillBeforeDay(now: number): number {
  return Math.floor((now - MARGIN_MS) / DAY_MS) - 1
}

interface Day {
  day: number
  clicks: number
}

/** Days that follow each other, or a month that is over; days since the epoch, from ≤ day < to. */
interface Work {
  unit: 'days' | 'month'
  /** Of links. */
  direction: 'ASC' | 'DESC'
  /** What is noted as done: days since the epoch; or 12 × year + month from 0. */
  done: { no: number; clicks: number }[]
  from: number
  to: number
  /** First and last link of each part that is left. */
  parts: [number, number][]
}

/**
 * Rewrites clicks in the order of link and time: days once they stand still, with what `steadySql`
 * finds out about their visitors; and once more a month that is over, so that a link's report reads
 * one row group a month. Every other month begins with the last links, so that the row group in which two months
 * meet is one of few links. A day stands still when its salt is gone, so that its visitors can be numbered: nothing
 * that comes later can be one of them. Readers see every click once throughout: a step is a transaction.
 */
export function createOrdering(
  connection: StatisticsConnection,
  sizes: OrderingSizes = SIZES,
): Chore {
  let work: Work | undefined

  async function choose(now: number): Promise<Work | undefined> {
    const stillBefore = stillBeforeDay(now)
    const days = (
      await connection.all<{ day: number; clicks: bigint }>(
        `SELECT (slot // ${SLOTS_PER_DAY})::INTEGER AS day, count(*) AS clicks FROM clicks
         WHERE slot < ? GROUP BY day ORDER BY day`,
        [stillBefore * SLOTS_PER_DAY],
      )
    ).map(({ day, clicks }) => ({ day, clicks: Number(clicks) }))
    const noted = await connection.all<{ unit: string; no: number; clicks: bigint }>(
      'SELECT unit, no, clicks FROM ordered',
    )
    const then = new Map(noted.map(({ unit, no, clicks }) => [`${unit} ${no}`, Number(clicks)]))
    const isDone = (key: string, clicks: number) => {
      const before = then.get(key)
      return before !== undefined && clicks <= before * LATE.part + LATE.few
    }
    const months = Map.groupBy(days, ({ day }) => monthOf(day))
    for (const [no, all] of months) {
      const clicks = total(all)
      if (isDone(`month ${no}`, clicks)) continue
      const pending = firstRun(all, ({ day, clicks }) => !isDone(`day ${day}`, clicks))
      if (pending.length > 0) return workOfDays(pending)
      if (no === monthOf(stillBefore) || clicks < sizes.month) continue
      return await workOfMonth(no, clicks)
    }
    return undefined
  }

  /** Days that follow each other, up to what a step takes; the first one in any case. */
  function firstRun(days: readonly Day[], isPending: (day: Day) => boolean): Day[] {
    const run: Day[] = []
    let clicks = 0
    for (const day of days) {
      const pending = isPending(day)
      if (run.length > 0 && (!pending || clicks + day.clicks > sizes.perStep)) break
      if (!pending) continue
      run.push(day)
      clicks += day.clicks
    }
    return run
  }

  function workOfDays(days: readonly Day[]): Work {
    return {
      unit: 'days',
      direction: 'ASC',
      done: days.map(({ day, clicks }) => ({ no: day, clicks })),
      from: (days[0] as Day).day,
      to: (days.at(-1) as Day).day + 1,
      parts: [ALL_LINKS],
    }
  }

  async function workOfMonth(no: number, clicks: number): Promise<Work> {
    const range = { from: firstDay(no), to: firstDay(no + 1) }
    const parts = await partsOf(range, clicks)
    const done = [{ no, clicks }]
    if (no % 2 === 0) return { unit: 'month', direction: 'ASC', done, ...range, parts }
    return { unit: 'month', direction: 'DESC', done, ...range, parts: parts.reverse() }
  }

  async function partsOf(
    { from, to }: Pick<Work, 'from' | 'to'>,
    clicks: number,
  ): Promise<[number, number][]> {
    if (clicks <= sizes.perStep) return [ALL_LINKS]
    const links = await connection.all<{ link: bigint; clicks: bigint }>(
      'SELECT link, count(*) AS clicks FROM clicks WHERE slot >= ? AND slot < ? GROUP BY link ORDER BY link',
      [from * SLOTS_PER_DAY, to * SLOTS_PER_DAY],
    )
    const parts: [number, number][] = []
    let start = 0
    let gathered = 0
    for (const row of links) {
      gathered += Number(row.clicks)
      if (gathered < sizes.perStep) continue
      parts.push([start, Number(row.link)])
      start = Number(row.link) + 1
      gathered = 0
    }
    parts.push([start, Number.MAX_SAFE_INTEGER])
    return parts
  }

  async function rewrite(
    { unit, direction, from, to, done }: Work,
    part: [number, number],
  ): Promise<void> {
    const [first, last] = part
    const which = `slot >= ${from * SLOTS_PER_DAY} AND slot < ${to * SLOTS_PER_DAY}
      AND link >= ${first} AND link <= ${last}`
    const rows = `(SELECT * FROM clicks WHERE ${which})`
    const source = unit === 'days' ? `(${steadySql(rows)})` : rows
    const columns = STORED_COLUMNS.join(', ')
    await connection.run('BEGIN')
    try {
      const [row] = await connection.all<{ last: bigint | null }>(
        'SELECT max(rowid) AS last FROM clicks',
      )
      await connection.run(
        `INSERT INTO clicks (${columns}) SELECT ${columns} FROM ${source}
         ORDER BY link ${direction}, slot, ms, n`,
      )
      // Rows of a transaction that isn't committed have row ids of their own, above all others.
      await connection.run(`DELETE FROM clicks WHERE rowid <= ${row?.last ?? -1} AND ${which}`)
      // Days are noted with their clicks: they are numbered then.
      if (unit === 'days') await note('day', done)
      await connection.run('COMMIT')
    } catch (error) {
      await connection.run('ROLLBACK').catch(() => {})
      throw error
    }
  }

  async function note(unit: 'day' | 'month', done: Work['done']): Promise<void> {
    const numbers = done.map(({ no }) => no).join(', ')
    await connection.run(`DELETE FROM ordered WHERE unit = '${unit}' AND no IN (${numbers})`)
    const rows = done.map(({ no, clicks }) => `('${unit}', ${no}, ${clicks})`)
    await connection.run(`INSERT INTO ordered VALUES ${rows.join(', ')}`)
  }

  return {
    async step(now) {
      work ??= await choose(now)
      if (work === undefined) return false
      const part = work.parts.shift()
      if (part !== undefined) await rewrite(work, part)
      if (work.parts.length > 0) return true
      const { unit, done } = work
      work = undefined
      if (unit === 'month') {
        await note('month', done)
        await connection.run('CHECKPOINT').catch(() => {})
      }
      return true
    },
  }
}

const ALL_LINKS: [number, number] = [0, Number.MAX_SAFE_INTEGER]

function total(days: readonly Day[]): number {
  return days.reduce((sum, { clicks }) => sum + clicks, 0)
}

function monthOf(day: number): number {
  const date = new Date(day * DAY_MS)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

function firstDay(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12, 1) / DAY_MS
}
