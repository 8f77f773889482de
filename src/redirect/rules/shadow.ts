import ipaddr from 'ipaddr.js'
import { bare, isWithinTag } from './conditions.ts'
import type { Conditions, Member, Named, Rule, TimeWindow, When } from './types.ts'
import { asNorwegian, compareVersions, isDate, minOf, minutesOf, nameKey } from './values.ts'

type Within<T> = (narrow: T, wide: T) => boolean

/** Whether the visitors matching one value are a subset of those matching another. */
const WITHIN: { [M in Member]: Within<NonNullable<Conditions[M]>> } = {
  country: all(isSame),
  region: all(isSame),
  language: all((narrow: string, wide: string) =>
    [narrow, asNorwegian(narrow)].some((tag) => isWithinTag(tag, wide)),
  ),
  device: all(isSame),
  os: all(isNamedWithin),
  browser: all(isNamedWithin),
  query: isQueryWithin,
  referrer_host: all(isPatternWithin),
  // As bits, see `prepared`.
  network: all((narrow: string, wide: string) => narrow.startsWith(wide)),
  time: isWindowWithin,
  agent: all(isSame),
}

/** Members of which two values either exclude or contain each other. */
const EXCLUSIVE: ReadonlySet<string> = new Set<Member>([
  'country',
  'region',
  'device',
  'os',
  'browser',
  'network',
  'agent',
])

/** Each rule that can never match, by index, with the index of the earlier rule that covers it. */
export function shadowedRules(rules: readonly Rule[]): [at: number, by: number][] {
  const all = rules.map(({ when }) => prepared(when))
  return all.flatMap((when, at): [number, number][] => {
    const by = all.slice(0, at).findIndex((before) => covers(before, when))
    return by < 0 ? [] : [[at, by]]
  })
}

/** True: visitors who match the second also match the first. False: no, or undetermined. */
function covers(first: When, second: When): boolean {
  return Object.entries(first).every(([name, wide]) => {
    const same = second[name as keyof When]
    if (!name.startsWith('not_')) return same !== undefined && isWithin(name, same, wide)
    const member = name.slice('not_'.length)
    // What the first excludes, the second must exclude too, or not be among what it requires.
    if (same !== undefined && isWithin(member, wide, same)) return true
    const only = second[member as Member]
    return only !== undefined && EXCLUSIVE.has(member) && areApart(member, only, wide)
  })
}

function isWithin(member: string, narrow: unknown, wide: unknown): boolean {
  return WITHIN[member as Member](narrow as never, wide as never)
}

function areApart(member: string, values: unknown, others: unknown): boolean {
  return [values].flat().every((value) =>
    [others].flat().every((other) => {
      return !isWithin(member, [value], [other]) && !isWithin(member, [other], [value])
    }),
  )
}

/** Parses networks once, however many rules they are compared with. */
function prepared(when: When): When {
  const { network, not_network } = when
  return {
    ...when,
    ...(network && { network: network.map(bitsOf) }),
    ...(not_network && { not_network: not_network.map(bitsOf) }),
  }
}

function bitsOf(network: string): string {
  const [address, bits] = ipaddr.parseCIDR(network)
  const bytes = address.toByteArray().map((byte) => byte.toString(2).padStart(8, '0'))
  return `${address.kind()} ${bytes.join('').slice(0, bits)}`
}

/** For lists or single values: each is within one of the others. */
function all<T>(isOneWithin: Within<T>): Within<T | T[]> {
  return (narrow, wide) => {
    const others = [wide].flat() as T[]
    return ([narrow].flat() as T[]).every((value) =>
      others.some((other) => isOneWithin(value, other)),
    )
  }
}

function isSame(value: string, other: string): boolean {
  return value === other
}

function isNamedWithin(value: Named, other: Named): boolean {
  const [own, min] = [minOf(value), minOf(other)]
  if (nameKey(value) !== nameKey(other)) return false
  return min === undefined || (own !== undefined && compareVersions(own, min) >= 0)
}

function isQueryWithin(narrow: Record<string, string[]>, wide: Record<string, string[]>): boolean {
  return Object.entries(wide).every(([name, others]) => {
    const values = narrow[name]
    if (values === undefined) return false
    if (values.length === 0 || others.length === 0) return values.length === others.length
    return others.includes('*') || values.every((value) => others.includes(value))
  })
}

function isPatternWithin(pattern: string, other: string): boolean {
  if (!other.startsWith('*.')) return !pattern.startsWith('*.') && bare(pattern) === bare(other)
  return bare(pattern).endsWith(other.slice(1))
}

function isWindowWithin(narrow: TimeWindow, wide: TimeWindow): boolean {
  // Hours after midnight belong to the day before, so on certain days only the same hours of the
  // same day are within others.
  const onDays =
    wide.days !== undefined ||
    [wide.from, wide.until].some((bound) => bound !== undefined && isDate(bound))
  return (
    narrow.timezone === wide.timezone &&
    isBounded(narrow.from, wide.from, (from, other) => isInOrder(other, from)) &&
    isBounded(narrow.until, wide.until, isInOrder) &&
    isBounded(narrow.days, wide.days, all(isSame)) &&
    (onDays
      ? all(isSpanWithinDay)(narrow.hours ?? WHOLE_DAY, wide.hours ?? WHOLE_DAY)
      : isBounded(narrow.hours, wide.hours, all(isSpanWithin)))
  )
}

/** Whether a bound of the wide one, if there is any, is satisfied. */
function isBounded<T>(narrow: T | undefined, wide: T | undefined, isIn: Within<T>): boolean {
  return wide === undefined || (narrow !== undefined && isIn(narrow, wide))
}

function isInOrder(first: string, second: string): boolean {
  return isDate(first) === isDate(second) && Date.parse(first) <= Date.parse(second)
}

const DAY = 1_440
const WHOLE_DAY: [string, string][] = [['00:00', '24:00']]

function isSpanWithinDay(narrow: [string, string], wide: [string, string]): boolean {
  const [[start, length], [from, longer]] = [minutesFrom(narrow), minutesFrom(wide)]
  return start >= from && start + length <= from + longer
}

function isSpanWithin(narrow: [string, string], wide: [string, string]): boolean {
  const [[start, length], [from, longer]] = [minutesFrom(narrow), minutesFrom(wide)]
  // Spans may cross midnight.
  return longer === DAY || ((start - from + DAY) % DAY) + length <= longer
}

function minutesFrom(span: [string, string]): [start: number, length: number] {
  const [start = 0, end = 0] = span.map((time) => minutesOf(time) as number)
  return [start, (end - start + DAY) % DAY || DAY]
}
