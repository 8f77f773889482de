import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import { CONSTANT, valuesTable } from '../store/rollups.ts'
import { HOURS_BITS, ROLL_UP_FORM, ROLLED, SLOTS_PER_DAY } from '../store/schema.ts'
import type { BotsMode, Dimension, Filter, Selection, ZoneOffset } from '../types.ts'
import type { Asking } from './lane.ts'
import { raw, type Sql, sql } from './sql.ts'
import { fits, valueIn } from './where.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** The slot that a click's UTC day begins with. */
export const DAY_START = raw(`(slot - slot % ${SLOTS_PER_DAY})`)

/** UTC days from `first` to before `end`, since the epoch. */
export interface Days {
  first: number
  end: number
}

/**
 * Whole UTC days of a selection whose clicks needn't be read: they are rolled up. Clicks and
 * visitors add up over days, so those of all other days are counted as ever and added.
 */
export interface Rolled {
  subject: number
  blocks: readonly Days[]
  /** Of hours and weekdays. */
  filters: readonly Filter[]
  offsets: readonly ZoneOffset[]
}

/**
 * What is rolled up of a selection; null: nothing is, or it has filters that aren't of whole hours.
 * @param usable whether a block can answer the question
 */
export async function findRolled(
  asking: Asking,
  selection: Selection,
  usable: (days: Days) => boolean = () => true,
): Promise<Rolled | null> {
  const { workspaceNo, linkSeq, linkSeqs, filters, offsets, from, to } = selection
  if (!isOfHours(selection) || linkSeqs !== null) return null
  if (linkSeq !== null && Math.floor(linkSeq / SEQS_PER_WORKSPACE) !== workspaceNo) return null
  const subject = linkSeq ?? workspaceNo
  const rows = await asking.rows(
    raw(`SELECT block, days FROM rolled WHERE whole AND form = ${ROLL_UP_FORM} AND subject = ${subject}
      AND block >= ${Math.ceil(from / DAY_MS)} AND block + days <= ${Math.floor(to / DAY_MS)}
      ORDER BY block`),
  )
  const blocks = rows
    .map(([block, days]) => ({ first: Number(block), end: Number(block) + Number(days) }))
    .filter(usable)
  return blocks.length === 0 ? null : { subject, blocks, filters, offsets }
}

/** Has no filters but those of hours and weekdays, which each hour of UTC fits as a whole. */
function isOfHours({ filters, offsets }: Selection): boolean {
  if (filters.length === 0) return true
  return (
    filters.every(({ dimension }) => dimension === 'hour' || dimension === 'weekday') &&
    offsets.every(
      ({ from, offsetMs }, i) => offsetMs % HOUR_MS === 0 && (i === 0 || from % HOUR_MS === 0),
    )
  )
}

/** Blocks that follow each other as one. */
function runsOf({ blocks }: Rolled): Days[] {
  const runs: Days[] = []
  for (const { first, end } of blocks) {
    const last = runs.at(-1)
    if (last?.end === first) last.end = end
    else runs.push({ first, end })
  }
  return runs
}

/** The clicks of all other days. */
export function outside(rolled: Rolled | null): Sql {
  if (rolled === null) return raw('TRUE')
  const tests = runsOf(rolled).map(
    ({ first, end }) => `(slot < ${first * SLOTS_PER_DAY} OR slot >= ${end * SLOTS_PER_DAY})`,
  )
  return raw(tests.join(' AND '))
}

/** Its rows in one of the tables. */
export function inside({ subject, blocks }: Rolled): Sql {
  const first = blocks[0] as Days
  const last = blocks.at(-1) as Days
  const all = blocks.map((block) => block.first).join(', ')
  return raw(`subject = ${subject} AND block >= ${first.first} AND block <= ${last.first}
    AND block IN (${all})`)
}

/** The clicks of its days. */
export function within(rolled: Rolled): Sql {
  const tests = runsOf(rolled).map(
    ({ first, end }) => `(slot >= ${first * SLOTS_PER_DAY} AND slot < ${end * SLOTS_PER_DAY})`,
  )
  return raw(`(${tests.join(' OR ')})`)
}

/** Columns of the visitors that a mode means. */
export function ofMode(mode: BotsMode, visitors: 'firsts' | 'lasts' | 'visitors'): string {
  if (mode === 'include') return `(${visitors} + bot_${visitors})`
  return mode === 'only' ? `bot_${visitors}` : visitors
}

/**
 * A slot's visitors for the part of its UTC day that it lies in, where a day has two parts at most:
 * in the first one (`inFirst`) those who come first there, in the other those who come last there.
 */
export function ofPart(mode: BotsMode, inFirst: Sql): Sql {
  return sql`if(${inFirst}, ${raw(ofMode(mode, 'firsts'))}, ${raw(ofMode(mode, 'lasts'))})`
}

/** For {@link findRolled}: whether the top values of a dimension can be taken from a block. */
export function canList(
  dimension: Dimension,
  { filters, offsets, linkSeq }: Selection,
  limit: number,
): (days: Days) => boolean {
  if (filters.length > 0) return () => false
  const offsetOf = ({ first, end }: Days) => {
    const from = first * DAY_MS
    const changes = offsets.some((it) => it.from > from && it.from < end * DAY_MS)
    return changes
      ? null
      : ((offsets.findLast((it) => it.from <= from) ?? offsets[0])?.offsetMs ?? 0)
  }
  // All of them are listed, so that nothing is asked about others.
  if (dimension === 'weekday') return (days) => limit >= 7 && offsetOf(days) !== null
  // A link isn't listed by links.
  if (!(dimension in ROLLED) || (dimension === 'link' && linkSeq !== null)) return () => false
  if (dimension === 'hour') return (days) => (offsetOf(days) ?? 1) % 3_600_000 === 0
  return () => true
}

/** Rows of `value, n, bots, own, others` as `top` puts them together. */
export function rolledTop(rolled: Rolled, selection: Selection, dimension: Dimension): Sql {
  const { bots: mode, offsets } = selection
  const value = valueIn(dimension, offsets)
  if (dimension === 'weekday') {
    const visitors = ofPart(mode, sql`${value} = ${valueIn(dimension, offsets, DAY_START)}`)
    return sql`SELECT ${value} AS value, sum(people + bots) AS n, sum(bots) AS bots,
      sum(${visitors}) AS own, 0 AS others FROM rolled_slots WHERE ${inside(rolled)} GROUP BY 1`
  }
  const visitors = raw(ofMode(mode, 'visitors'))
  const others = CONSTANT.has(dimension) ? sql`sum(${visitors})` : raw('0')
  // Added up by themselves: the statistics of their own columns make that quick.
  return sql`SELECT ${value} AS value, sum(people + bots) AS n, sum(bots) AS bots,
    sum(${visitors}) AS own, ${others} AS others
    FROM ${valuesOf(rolled, dimension)} GROUP BY 1`
}

/** Clicks that fit a filter of a dimension of {@link ROLLED}, and all. */
export function rolledShare(rolled: Rolled, { offsets }: Selection, filter: Filter): Sql {
  const clicks = raw('sum(people + bots)')
  return sql`SELECT
    (SELECT ${clicks} FROM ${valuesOf(rolled, filter.dimension)} WHERE ${fits(filter, offsets)}),
    (SELECT ${clicks} FROM rolled_slots WHERE ${inside(rolled)})`
}

/** Values of a dimension, as the columns that they are made of in `clicks`. */
function valuesOf(rolled: Rolled, dimension: Dimension): Sql {
  const column: Partial<Record<Dimension, string>> = {
    hour: `(block * ${SLOTS_PER_DAY} + value * 4) AS slot`,
    trigger: '(value = 1) AS qr',
  }
  return sql`(SELECT block, place, people, bots, visitors, bot_visitors,
      ${raw(column[dimension] ?? `value AS ${dimension}`)}
    FROM ${raw(valuesTable(dimension))}
    WHERE ${inside(rolled)} AND dimension = ${raw(codeOf(dimension))})`
}

/** What stands for a dimension in the tables. */
export function codeOf(dimension: Dimension): string {
  return String(ROLLED[dimension as keyof typeof ROLLED])
}

/**
 * Visitors with another value of a dimension than the listed ones: all but those who came with no
 * other. `lost`: days of which that isn't known, because a listed value was a rare one then.
 */
export async function rolledRest(
  asking: Asking,
  rolled: Rolled,
  selection: Selection,
  listed: Filter,
): Promise<{ visitors: number; lost: Rolled | null }> {
  const { bots: mode, offsets } = selection
  const { dimension } = listed
  const found = await asking.rows(
    sql`SELECT block, bit_or(1::BIGINT << place), count(*) > count(place)
      FROM ${valuesOf(rolled, dimension)} WHERE ${fits(listed, offsets)} GROUP BY 1`,
  )
  const lost = new Set(found.filter(([, , isLost]) => isLost).map(([block]) => Number(block)))
  const part = (isLost: boolean): Rolled => ({
    ...rolled,
    blocks: rolled.blocks.filter(({ first }) => lost.has(first) === isLost),
  })
  const known = part(false)
  let visitors = 0
  if (known.blocks.length > 0) {
    const masks = found.map(([block, members]) => `WHEN ${block} THEN ${members ?? 0}`)
    // Above the bits of hours is the day.
    const members = dimension === 'hour' ? `(members & ${(1 << HOURS_BITS) - 1})` : 'members'
    const others =
      masks.length === 0 ? members : `${members} & ~(CASE block ${masks.join(' ')} ELSE 0 END)`
    const [row] = await asking.rows(
      sql`SELECT (SELECT sum(${raw(ofMode(mode, 'firsts'))}) FROM rolled_slots
            WHERE ${inside(known)}),
          (SELECT sum(${raw(ofMode(mode, 'visitors'))}) FROM rolled_sets
            WHERE ${inside(known)} AND dimension = ${raw(codeOf(dimension))}
              AND ${raw(others)} = 0)`,
    )
    visitors = Number(row?.[0] ?? 0) - Number(row?.[1] ?? 0)
  }
  return { visitors, lost: lost.size === 0 ? null : part(true) }
}
