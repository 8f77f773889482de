import { SEQS_PER_WORKSPACE } from '../../../storage/index.ts'
import { KIND, SLOT_MS, SLOTS_PER_DAY } from '../../store/schema.ts'
import type { BotsMode, Dimension, Filter, Selection, ZoneOffset } from '../../types.ts'
import { bigint, integer, join, numbers, raw, type Sql, sql, text } from './index.ts'

const HOUR_MS = 3_600_000

/** The slot of a click, its UTC day, and the slot of its visitor's first one on that UTC day. */
export const SLOT = raw('slot')
export const DAY = raw(`(slot // ${SLOTS_PER_DAY})`)
export const FIRST_SLOT = raw(`(slot - slot % ${SLOTS_PER_DAY} + first_slot::INTEGER)`)

/** The clicks that a mode counts. */
export const MODE: Readonly<Record<BotsMode, Sql>> = {
  exclude: raw('kind = 0'),
  only: raw('kind <> 0'),
  include: raw('TRUE'),
}

/** Slots from the first to the last moment of a range, in whole numbers. */
export function slotsOf({ from, to }: { from: number; to: number }) {
  return {
    first: Math.floor(from / SLOT_MS),
    /** The slot that the range ends in or before. */
    end: Math.ceil(to / SLOT_MS),
  }
}

/** The links that a selection is about. */
export function ofLinks({ workspaceNo, linkSeq, linkSeqs }: Selection): Sql {
  const first = workspaceNo * SEQS_PER_WORKSPACE
  const end = first + SEQS_PER_WORKSPACE
  if (linkSeq !== null) {
    const isMeant = linkSeqs === null || linkSeqs.includes(linkSeq)
    // A link of another workspace has nothing to show here.
    return isMeant && linkSeq >= first && linkSeq < end
      ? sql`link = ${bigint(linkSeq)}`
      : raw('FALSE')
  }
  const range = sql`link >= ${bigint(first)} AND link < ${bigint(end)}`
  if (linkSeqs === null) return range
  if (linkSeqs.length === 0) return raw('FALSE')
  return sql`${range} AND link IN ${numbers(linkSeqs)}`
}

/** From ≤ time < to, exactly; `ms` is only read where an end cuts a slot. */
export function inTime({ from, to }: { from: number; to: number }): Sql {
  const { first, end } = slotsOf({ from, to })
  const parts = [sql`slot >= ${integer(first)} AND slot < ${integer(end)}`]
  const firstMs = from - first * SLOT_MS
  const endMs = to - (end - 1) * SLOT_MS
  if (firstMs > 0) parts.push(sql`(slot > ${integer(first)} OR ms >= ${integer(firstMs)})`)
  if (endMs < SLOT_MS) parts.push(sql`(slot < ${integer(end - 1)} OR ms < ${integer(endMs)})`)
  return join(parts, ' AND ')
}

/** What a dimension's value is, for a click at `slot`. */
export function valueIn(dimension: Dimension, offsets: readonly ZoneOffset[], slot = SLOT): Sql {
  switch (dimension) {
    case 'trigger':
      return raw('qr')
    case 'hour':
      return sql`((${localSlot(slot, offsets)} >> 2) % 24)`
    case 'weekday':
      // Day 0 of the epoch was a Thursday.
      return sql`((${localSlot(slot, offsets)} // ${raw(String(SLOTS_PER_DAY))} + 3) % 7 + 1)`
    default:
      return raw(dimension)
  }
}

/** An hour or a weekday as {@link valueIn} gives it, of one slot. */
export function timeOf(
  dimension: 'hour' | 'weekday',
  slot: number,
  offsets: readonly ZoneOffset[],
): number {
  const at = slot * SLOT_MS
  const { offsetMs = 0 } = offsets.findLast(({ from }) => from <= at) ?? offsets[0] ?? {}
  const hours = Math.floor((at + offsetMs) / HOUR_MS)
  return dimension === 'hour' ? hours % 24 : ((Math.floor(hours / 24) + 3) % 7) + 1
}

/** A stored value, as {@link valueIn} gives it, back to what reports say. */
export function valueFrom(dimension: Dimension, stored: unknown): string | number | null {
  if (stored === null) return null
  if (dimension === 'trigger') return stored === true ? 'qr' : 'click'
  if (dimension === 'kind') return KINDS[Number(stored)] ?? null
  return typeof stored === 'string' ? stored : Number(stored)
}

const KINDS = ['person', 'bot', 'preview'] as const

/** Clicks that fit a filter. */
export function fits(filter: Filter, offsets: readonly ZoneOffset[], slot = SLOT): Sql {
  const { dimension, values, exclude } = filter
  const value = valueIn(dimension, offsets, slot)
  const listed = values.flatMap((asked) => {
    const known = asked === null ? undefined : storedValue(dimension, asked)
    return known === undefined ? [] : [known]
  })
  const tests: Sql[] = []
  if (dimension === 'hour' || dimension === 'weekday') {
    // A look at a bit, where IN compares with each: it takes a third of the time.
    const bits = values.reduce<number>((all, at) => all | bitOf(at), 0)
    tests.push(sql`(${raw(String(bits))} >> ${value}) & 1 = 1`)
  } else if (listed.length === 1) tests.push(sql`${value} = ${listed[0] as Sql}`)
  else if (listed.length > 1) tests.push(sql`${value} IN (${join(listed, ', ')})`)
  if (values.includes(null)) tests.push(sql`${value} IS NULL`)
  const found = join(tests, ' OR ', 'FALSE')
  // A comparison with null is unknown, which is no match. Plain conditions are told from a row group's
  // least and greatest values; all that is asked with this is a condition itself.
  if (!exclude) return sql`(${found})`
  return NEVER_NULL.has(dimension) ? sql`NOT (${found})` : sql`NOT coalesce((${found}), FALSE)`
}

const NEVER_NULL: ReadonlySet<Dimension> = new Set([
  'trigger',
  'kind',
  'domain',
  'link',
  'hour',
  'weekday',
])

/** Of an hour or a weekday. */
function bitOf(value: string | number | null): number {
  const at = Number(value)
  return value !== null && Number.isInteger(at) && at >= 0 && at < 24 ? 1 << at : 0
}

/** As it is stored; undefined: no click has it. */
function storedValue(dimension: Dimension, value: string | number): Sql | undefined {
  switch (dimension) {
    case 'trigger':
      return value === 'qr' ? raw('TRUE') : value === 'click' ? raw('FALSE') : undefined
    case 'kind':
      return value in KIND ? raw(String(KIND[value as keyof typeof KIND])) : undefined
    case 'domain':
    case 'link':
      return Number.isSafeInteger(Number(value)) ? sql`${bigint(Number(value))}` : undefined
    default:
      return sql`${text(String(value))}`
  }
}

/** The slot by the clocks of a zone: all of them are at a quarter of an hour today. */
function localSlot({ text: slot }: Sql, offsets: readonly ZoneOffset[]): Sql {
  const [first, ...changes] = offsets.map(({ from, offsetMs }) => ({
    from: Math.ceil(from / SLOT_MS),
    ahead: Math.floor(offsetMs / SLOT_MS),
  }))
  if (first === undefined) return raw(slot)
  if (changes.length === 0) return raw(`(${slot} + ${first.ahead})`)
  const cases = changes
    .toReversed()
    .map(({ from, ahead }) => `WHEN ${slot} >= ${from} THEN ${ahead}`)
  return raw(`(${slot} + CASE ${cases.join(' ')} ELSE ${first.ahead} END)`)
}
