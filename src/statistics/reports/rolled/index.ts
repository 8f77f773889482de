import { SEQS_PER_WORKSPACE } from '../../../storage/index.ts'
import { CONSTANT, CUT, valuesTable } from '../../store/rollups.ts'
import { ROLL_UP_FORM, ROLLED, SLOTS_PER_DAY } from '../../store/schema.ts'
import type { BotsMode, Dimension, Filter, Selection, ZoneOffset } from '../../types.ts'
import type { Asking } from '../lane/index.ts'
import { raw, type Sql, sql } from '../sql/index.ts'
import { fits, valueIn } from '../sql/where.ts'

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
  if (!(dimension in ROLLED) || (CUT.has(dimension) && linkSeq !== null)) return () => false
  if (dimension === 'hour') return (days) => (offsetOf(days) ?? 1) % 3_600_000 === 0
  return () => true
}

/** Clicks with values that a list of what is rolled up hasn't, because there are too many of them. */
export interface Rest {
  all: number
  bots: number
  /** Of one of them, at most, in each block, and in all together. */
  mostOf: readonly (readonly [block: number, clicks: number])[]
  most: number
}

/** The rest of the values of a dimension; null: there is none. */
export async function findRest(
  asking: Asking,
  rolled: Rolled,
  dimension: Dimension,
): Promise<Rest | null> {
  if (!CUT.has(dimension)) return null
  const rows = await asking.rows(
    sql`SELECT block, most, people, bots FROM rolled_rest
      WHERE ${inside(rolled)} AND dimension = ${raw(codeOf(dimension))}`,
  )
  const rest = { all: 0, bots: 0, most: 0 }
  const mostOf = rows.map(([block, most, people, bots]) => {
    rest.all += Number(people) + Number(bots)
    rest.bots += Number(bots)
    rest.most += Number(most)
    return [Number(block), Number(most)] as const
  })
  return mostOf.length === 0 ? null : { ...rest, mostOf }
}

/**
 * Rows of `value, n, bots, own, others, known` as `top` puts them together. `known`: what `mostOf` says
 * of the blocks whose clicks with this value are in the numbers.
 */
export function rolledTop(
  rolled: Rolled,
  selection: Selection,
  dimension: Dimension,
  rest: Rest | null = null,
): Sql {
  const { bots: mode, offsets } = selection
  const value = valueIn(dimension, offsets)
  if (dimension === 'weekday') {
    const visitors = ofPart(mode, sql`${value} = ${valueIn(dimension, offsets, DAY_START)}`)
    return sql`SELECT ${value} AS value, sum(people + bots) AS n, sum(bots) AS bots,
      sum(${visitors}) AS own, 0 AS others, 0 AS known FROM rolled_slots WHERE ${inside(rolled)} GROUP BY 1`
  }
  const visitors = raw(ofMode(mode, 'visitors'))
  const others = CONSTANT.has(dimension) ? sql`sum(${visitors})` : raw('0')
  const most = (rest?.mostOf ?? []).map(([block, clicks]) => `WHEN ${block} THEN ${clicks}`)
  const known = raw(most.length === 0 ? '0' : `sum(CASE block ${most.join(' ')} ELSE 0 END)`)
  // Added up by themselves: the statistics of their own columns make that quick.
  return sql`SELECT ${value} AS value, sum(people + bots) AS n, sum(bots) AS bots,
    sum(${visitors}) AS own, ${others} AS others, ${known} AS known
    FROM ${valuesOf(rolled, dimension)} GROUP BY 1`
}

/** Clicks that fit a filter of a dimension of {@link ROLLED}, but for rare values, and all. */
export function rolledShare(rolled: Rolled, { offsets }: Selection, filter: Filter): Sql {
  const clicks = raw('sum(people + bots)')
  return sql`SELECT
    (SELECT ${clicks} FROM ${valuesOf(rolled, filter.dimension)} WHERE ${fits(filter, offsets)}),
    (SELECT ${clicks} FROM rolled_slots WHERE ${inside(rolled)})`
}

/** Values of a dimension, as the columns that they are made of in `clicks`. */
export function valuesOf(rolled: Rolled, dimension: Dimension): Sql {
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
