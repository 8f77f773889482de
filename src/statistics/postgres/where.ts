import { type RawBuilder, sql } from 'kysely'
import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import { KIND_CONDITION, KIND_NAMES } from '../store/schema.ts'
import type { BotsMode, Dimension, Filter, Selection, ZoneOffset } from '../types.ts'

/** A part of a query. */
export type Part = RawBuilder<unknown>

export const DAY_MS = 86_400_000
/** Of a purged click only the UTC day is known: it counts as one at noon. */
const NOON_MS = DAY_MS / 2

/** The clicks that a mode counts, of `clicks` and `click_days`. */
export const MODE: Readonly<Record<BotsMode, Part>> = {
  exclude: sql.raw(KIND_CONDITION.exclude),
  only: sql.raw(KIND_CONDITION.only),
  include: sql.raw(KIND_CONDITION.include),
}

/**
 * A visitor on a UTC day, as one number: hashes differ from day to day, and so do the small numbers
 * that clicks from an embedded instance may have.
 */
export const VISITOR = sql.raw(`(visitor # ((time / ${DAY_MS}) << 40))`)

/** When the clicks of a purged day were. */
export const MOMENT = sql.raw(`(day::bigint * ${DAY_MS} + ${NOON_MS})`)

/** The clicks of a selection, those that its mode leaves out included. */
export function fitting(selection: Selection): Part {
  const { from, to } = selection
  return all([untimed(selection), sql`time >= ${whole(from)}`, sql`time < ${whole(to)}`])
}

/** The same, whenever they were. */
export function untimed(selection: Selection): Part {
  const { filters, offsets } = selection
  return all([ofLinks(selection), ...filters.map((filter) => fits(filter, offsets))])
}

/** The clicks that the selection counts. */
export function meant(selection: Selection): Part {
  return all([fitting(selection), MODE[selection.bots]])
}

/** The links that a selection is about; of `clicks` and `click_days`. */
export function ofLinks({ workspaceNo, linkSeq, linkSeqs }: Selection): Part {
  const first = workspaceNo * SEQS_PER_WORKSPACE
  // A link of another workspace has nothing to show here.
  const isOwn = (seq: number) => seq >= first && seq < first + SEQS_PER_WORKSPACE
  if (linkSeq !== null) {
    const isMeant = isOwn(linkSeq) && (linkSeqs === null || linkSeqs.includes(linkSeq))
    return isMeant ? sql`link_seq = ${whole(linkSeq)}` : NONE
  }
  const workspace = sql`workspace_no = ${whole(workspaceNo)}`
  if (linkSeqs === null) return workspace
  const known = linkSeqs.filter(isOwn)
  return known.length === 0 ? NONE : sql`${workspace} AND link_seq = ANY(${numbers(known)})`
}

/** What a dimension's value is: a text or a number, null for none. */
export function valueIn(dimension: Dimension, offsets: readonly ZoneOffset[]): Part {
  switch (dimension) {
    case 'trigger':
      return sql.raw("CASE WHEN qr THEN 'qr' ELSE 'click' END")
    case 'kind':
      return KIND
    case 'hour':
      return sql`(${local(offsets)} / 3600000) % 24`
    case 'weekday':
      // Day 0 of the epoch was a Thursday.
      return sql`(${local(offsets)} / 86400000 + 3) % 7 + 1`
    case 'link':
      return sql.raw('link_seq')
    case 'domain':
      return sql.raw('domain_no::bigint')
    default:
      return sql.raw(dimension)
  }
}

/** The same of a row of `click_days`. */
export function purgedValueIn(dimension: Dimension): Part {
  if (dimension === 'link' || dimension === 'kind') return valueIn(dimension, [])
  return sql.raw(isNumber(dimension) ? 'NULL::bigint' : 'NULL::text')
}

/** Dimensions whose values are numbers. */
export function isNumber(dimension: Dimension): boolean {
  return NUMBERS.has(dimension)
}

/** The rows of `click_days` that a selection means, or null when a filter asks for what they don't say. */
export function purgedFitting(selection: Selection): Part | null {
  const { filters, from, to } = selection
  if (filters.some(({ dimension }) => dimension !== 'link' && dimension !== 'kind')) return null
  return all([
    ofLinks(selection),
    sql`day >= ${whole(Math.ceil((from - NOON_MS) / DAY_MS))}`,
    sql`day < ${whole(Math.ceil((to - NOON_MS) / DAY_MS))}`,
    ...filters.map((filter) => fits(filter, [])),
  ])
}

/**
 * The visitors of purged clicks: whether those of several links were the same is only known of all
 * links together.
 */
export function purgedUniques({ linkSeq, linkSeqs, filters }: Selection, group?: Dimension): Part {
  const someLinks =
    linkSeq !== null ||
    linkSeqs !== null ||
    group === 'link' ||
    filters.some(({ dimension }) => dimension === 'link')
  return sql.raw(someLinks ? 'uniques' : 'workspace_uniques')
}

/** Whole numbers as one parameter. */
export function numbers(values: readonly number[]): Part {
  return sql`${`{${values.join(',')}}`}::bigint[]`
}

/** A whole number, as it stands. */
export function whole(value: number): Part {
  if (!Number.isSafeInteger(value)) throw new RangeError(`${value} is no whole number`)
  return sql.raw(String(value))
}

const NUMBERS: ReadonlySet<Dimension> = new Set(['hour', 'weekday', 'domain', 'link'])
const NONE = sql.raw('false')
const KIND = sql.raw(
  `CASE kind ${KIND_NAMES.map((name, kind) => `WHEN ${kind} THEN '${name}'`).join(' ')} END`,
)

function all(tests: readonly Part[]): Part {
  return sql.join([...tests], sql.raw(' AND '))
}

/** Clicks that fit a filter. */
function fits({ dimension, values, exclude }: Filter, offsets: readonly ZoneOffset[]): Part {
  const value = valueIn(dimension, offsets)
  const tests: Part[] = values.includes(null) ? [sql`${value} IS NULL`] : []
  const known = values.filter((asked) => asked !== null)
  if (isNumber(dimension)) {
    const listed = known.map(Number).filter(Number.isSafeInteger)
    if (listed.length > 0) tests.push(sql`${value} = ANY(${numbers(listed)})`)
  } else if (known.length > 0) {
    tests.push(sql`${value} IN (${sql.join(known.map(String))})`)
  }
  const found = tests.length === 0 ? NONE : sql.join(tests, sql.raw(' OR '))
  // A comparison with null is unknown, which is no match.
  return exclude ? sql`NOT coalesce((${found}), false)` : sql`coalesce((${found}), false)`
}

/** The time by the clocks of a zone. */
function local(offsets: readonly ZoneOffset[]): Part {
  const [first, ...changes] = offsets
  if (first === undefined) return sql.raw('time')
  if (changes.length === 0) return sql`(time + ${whole(first.offsetMs)})`
  const cases = changes
    .toReversed()
    .map(({ from, offsetMs }) => sql`WHEN time >= ${whole(from)} THEN ${whole(offsetMs)}`)
  return sql`(time + CASE ${sql.join(cases, sql.raw(' '))} ELSE ${whole(first.offsetMs)} END)`
}
