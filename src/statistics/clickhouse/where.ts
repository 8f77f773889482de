import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import type { BotsMode, Dimension, Filter, Selection, ZoneOffset } from '../types.ts'
import { join, numbers, raw, type Sql, sql } from './sql.ts'

export const DAY_MS = 86_400_000
/** Of a purged click only the UTC day is known: it counts as one at noon. */
const NOON_MS = DAY_MS / 2

/** What `clicks.kind` stands for. */
export const KINDS = ['person', 'bot', 'preview'] as const

/** The clicks that a mode counts. */
export const MODE: Readonly<Record<BotsMode, Sql>> = {
  exclude: raw('kind = 0'),
  only: raw('kind != 0'),
  include: raw('1'),
}

/**
 * A visitor on a UTC day, as one number: hashes differ from day to day, whatever becomes of the
 * salts.
 */
export const VISITOR = raw('bitXor(visitor, bitShiftLeft(toUInt64(intDiv(time, 86400000)), 40))')

/** Before which UTC day the workspace's clicks are told by `daily`. */
export function purgedBefore(workspaceNo: number): Sql {
  return sql`(SELECT max(before) FROM purged WHERE workspace = ${workspaceNo})`
}

/** The clicks of a selection, those that its mode leaves out included. */
export function fitting(selection: Selection): Sql {
  const { from, to, filters, offsets, workspaceNo } = selection
  const tests = [
    ofLinks(selection),
    sql`time >= ${from} AND time < ${to}`,
    sql`time >= ${purgedBefore(workspaceNo)} * ${DAY_MS}`,
    ...filters.map((filter) => fits(filter, offsets)),
  ]
  return join(tests, ' AND ')
}

/** The clicks that the selection counts. */
export function meant(selection: Selection): Sql {
  return sql`${fitting(selection)} AND ${MODE[selection.bots]}`
}

/** The links that a selection is about; of `clicks` and `daily`. */
export function ofLinks({ workspaceNo, linkSeq, linkSeqs }: Selection): Sql {
  const first = workspaceNo * SEQS_PER_WORKSPACE
  // A link of another workspace has nothing to show here.
  const isOwn = (seq: number) => seq >= first && seq < first + SEQS_PER_WORKSPACE
  const known = linkSeqs?.filter(isOwn).map((seq) => seq - first)
  const workspace = sql`workspace = ${workspaceNo}`
  if (linkSeq !== null) {
    const isMeant = isOwn(linkSeq) && (linkSeqs === null || linkSeqs.includes(linkSeq))
    return isMeant ? sql`${workspace} AND link = ${linkSeq - first}` : raw('0')
  }
  if (known === undefined) return workspace
  return known.length === 0 ? raw('0') : sql`${workspace} AND link IN (${numbers(known)})`
}

/** What a dimension's value is: a text, empty for none; or a number, -1 for none. */
export function valueIn(dimension: Dimension, offsets: readonly ZoneOffset[]): Sql {
  switch (dimension) {
    case 'trigger':
      return raw("if(qr, 'qr', 'click')")
    case 'kind':
      return raw("transform(kind, [0, 1, 2], ['person', 'bot', 'preview'], '')")
    case 'hour':
      return sql`toInt64(intDiv(${local(offsets)}, 3600000) % 24)`
    case 'weekday':
      // Day 0 of the epoch was a Thursday.
      return sql`toInt64((intDiv(${local(offsets)}, 86400000) + 3) % 7 + 1)`
    case 'link':
      return raw(`toInt64(toInt64(workspace) * ${SEQS_PER_WORKSPACE} + link)`)
    case 'domain':
      return raw('toInt64(domain)')
    default:
      return raw(dimension)
  }
}

/** The same of a row of `daily`. */
export function purgedValueIn(dimension: Dimension): Sql {
  if (dimension === 'link' || dimension === 'kind') return valueIn(dimension, [])
  return raw(isNumber(dimension) ? 'toInt64(-1)' : "''")
}

/** Dimensions whose values are numbers. */
export function isNumber(dimension: Dimension): boolean {
  return NUMBERS.has(dimension)
}

const NUMBERS: ReadonlySet<Dimension> = new Set(['hour', 'weekday', 'domain', 'link'])

/** A value as the answer has it, back to what reports say. */
export function valueFrom(dimension: Dimension, value: unknown): string | number | null {
  if (isNumber(dimension)) return Number(value) < 0 ? null : Number(value)
  return value === '' ? null : String(value)
}

/** Clicks that fit a filter. */
function fits({ dimension, values, exclude }: Filter, offsets: readonly ZoneOffset[]): Sql {
  const listed = values.flatMap((value) => {
    if (!isNumber(dimension)) return [sql`${value === null ? '' : String(value)}`]
    const number = value === null ? Number.NaN : Number(value)
    return Number.isSafeInteger(number) ? [sql`${number}`] : []
  })
  if (listed.length === 0) return raw(exclude ? '1' : '0')
  const value = valueIn(dimension, offsets)
  return sql`${value} ${raw(exclude ? 'NOT IN' : 'IN')} (${join(listed, ', ')})`
}

/** The time by the clocks of a zone. */
function local(offsets: readonly ZoneOffset[]): Sql {
  const [first, ...changes] = offsets
  if (first === undefined) return raw('time')
  if (changes.length === 0) return sql`(time + ${first.offsetMs})`
  const cases = changes
    .toReversed()
    .map(({ from, offsetMs }) => sql`time >= ${from}, toInt64(${offsetMs})`)
  return sql`(time + multiIf(${join(cases, ', ')}, toInt64(${first.offsetMs})))`
}

/** When the clicks of a purged day were, by a column `day`. */
export const MOMENT = raw(`(toInt64(day) * ${DAY_MS} + ${NOON_MS})`)

/** The rows of `daily` that a selection means, or null when a filter asks for what they don't say. */
export function purgedFitting(selection: Selection): Sql | null {
  const { filters, from, to, workspaceNo } = selection
  if (filters.some(({ dimension }) => dimension !== 'link' && dimension !== 'kind')) return null
  return join(
    [
      ofLinks(selection),
      sql`day >= ${Math.ceil((from - NOON_MS) / DAY_MS)}`,
      sql`day < ${Math.ceil((to - NOON_MS) / DAY_MS)}`,
      sql`day < ${purgedBefore(workspaceNo)}`,
      ...filters.map((filter) => fits(filter, [])),
    ],
    ' AND ',
  )
}

/**
 * The visitors of purged clicks: whether those of several links were the same is only known of all
 * links together.
 */
export function purgedUniques({ linkSeq, linkSeqs, filters }: Selection, group?: Dimension): Sql {
  const someLinks =
    linkSeq !== null ||
    linkSeqs !== null ||
    group === 'link' ||
    filters.some(({ dimension }) => dimension === 'link')
  return raw(someLinks ? 'uniques' : 'workspace_uniques')
}
