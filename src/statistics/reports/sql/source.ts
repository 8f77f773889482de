import { CONSTANT } from '../../store/rollups.ts'
import { FIRST, SLOT_MS, SLOTS_PER_DAY } from '../../store/schema.ts'
import type { Dimension, Selection } from '../../types.ts'
import { integer, join, raw, type Sql, sql } from './index.ts'
import { type PlanOptions, planUnique, type UniquePlan } from './plan.ts'
import { FIRST_SLOT, fits, inTime, MODE, ofLinks, SLOT, slotsOf } from './where.ts'

/** What is counted in SQL for any group of clicks. `count_if` takes half the time of a sum. */
export const ALL = 'count(*)'
export const BOTS = 'count_if(kind <> 0)'

/** The clicks of a selection, those that its mode leaves out included. */
export function fitting(selection: Selection): Sql {
  const { filters, offsets } = selection
  return join(
    [ofLinks(selection), inTime(selection), ...filters.map((filter) => fits(filter, offsets))],
    ' AND ',
  )
}

/** How a question's decided clicks are recognised. */
export interface Deciding {
  plan: UniquePlan
  selection: Selection
  /** For `byTime`: true for a click that gets the same answer as its visitor's first one. */
  sameAnswer: Sql | null
}

/** How many visitors the decided clicks stand for, as an aggregate. */
export function decidedVisitors({ plan, selection, sameAnswer }: Deciding): Sql {
  const bits = plan.first | plan.steady
  const tests = [MODE[selection.bots], raw(`firsts & ${bits} = ${bits}`)]
  const whole = wholeDays(selection)
  if (whole !== null) tests.push(whole)
  // The first click of the day gives the same answer as itself.
  if (sameAnswer !== null && !countsFirsts(plan)) tests.push(sql`coalesce(${sameAnswer}, FALSE)`)
  return sql`count_if(${join(tests, ' AND ')})`
}

/** The other clicks that count, or null when there can be none. */
export function undecided({ plan, selection, sameAnswer }: Deciding): Sql | null {
  const tests: Sql[] = []
  const { steady } = plan
  if (steady !== 0) tests.push(raw(`firsts & ${steady} <> ${steady}`))
  const whole = wholeDays(selection)
  if (whole !== null) tests.push(sql`NOT (${whole})`)
  if (sameAnswer !== null) {
    const differs = sql`NOT coalesce(${sameAnswer}, FALSE)`
    tests.push(
      countsFirsts(plan) ? sql`(firsts & ${raw(String(plan.first))} = 0 AND ${differs})` : differs,
    )
  }
  if (tests.length === 0) return null
  return sql`visitor IS NOT NULL AND ${MODE[selection.bots]} AND (${join(tests, ' OR ')})`
}

/** Marks on the clicks decide all of a question: one query adds them up. */
export function isDecided(selection: Selection, options: PlanOptions = {}): boolean {
  const plan = planUnique(selection, options)
  return !plan.byTime && undecided({ plan, selection, sameAnswer: null }) === null
}

/**
 * Of clicks that tell which visitors have one of some values of a dimension, those that are enough for
 * it: the first with each value. All, where a filter may fit another click with the value than that one.
 */
export function firstWith(selection: Selection, dimension: Dimension): Sql {
  const { filters, linkSeq, linkSeqs } = selection
  const isSame = filters.every((filter) => CONSTANT.has(filter.dimension))
  const ofLinks = dimension !== 'link' && (linkSeq !== null || linkSeqs !== null)
  if (!(dimension in FIRST) || !isSame || ofLinks) return raw('TRUE')
  const bit = FIRST[dimension as keyof typeof FIRST]
  const first = raw(`firsts & ${bit} = ${bit}`)
  const whole = wholeDays(selection)
  return whole === null ? first : sql`(${first} OR NOT (${whole}))`
}

function countsFirsts({ first }: UniquePlan): boolean {
  return first === FIRST.workspace
}

/**
 * The range without the UTC days that its ends cut: what was the first click of a day need not be
 * the first within a part of it. Null: no day is cut.
 */
function wholeDays(range: { from: number; to: number }): Sql | null {
  const { first, end } = slotsOf(range)
  const dayMs = SLOTS_PER_DAY * SLOT_MS
  const tests: Sql[] = []
  if (range.from % dayMs !== 0) {
    tests.push(sql`slot >= ${integer(Math.ceil(range.from / dayMs) * SLOTS_PER_DAY)}`)
  }
  if (range.to % dayMs !== 0) {
    tests.push(sql`slot < ${integer(Math.floor(range.to / dayMs) * SLOTS_PER_DAY)}`)
  }
  return first >= end || tests.length === 0 ? null : join(tests, ' AND ')
}

/** True for clicks whose visitor's first one of the day fits the filters of time, too. */
export function firstFits({ filters, offsets }: Selection): Sql[] {
  return filters
    .filter(({ dimension }) => dimension === 'hour' || dimension === 'weekday')
    .map((filter) => fits(filter, offsets, FIRST_SLOT))
}

/** The same of a value that depends on the time: it is that of the first click. */
export function sameValue(value: (slot: Sql) => Sql): Sql {
  return sql`${value(SLOT)} = ${value(FIRST_SLOT)}`
}

/** The clicks that the selection counts. */
export function meant(selection: Selection): Sql {
  return sql`${fitting(selection)} AND ${MODE[selection.bots]}`
}
