import { isWithin, parseNetworks } from '../../lib/base/networks.ts'
import { zoned } from '../../lib/validation/zone.ts'
import {
  type Conditions,
  MEMBERS,
  type Member,
  type Named,
  type TimeWindow,
  WEEKDAYS,
  type When,
} from './types.ts'
import { compareVersions, isDate, minOf, minutesOf, nameKey } from './values.ts'
import type { Visitor } from './visitor.ts'

/** A condition of a rule's `when`, ready to be tested. */
export interface Condition {
  /** Its name: `country`, `not_network`. */
  readonly name: string
  readonly expected: unknown
  readonly holds: (visitor: Visitor) => boolean
  /** The visitor's value, for explanations. */
  readonly actual: (visitor: Visitor) => unknown
}

type Test<T> = (expected: T) => (visitor: Visitor) => boolean

/** The test of each condition, and the visitor's value. */
const TESTS: {
  [M in Member]: [
    Test<NonNullable<Conditions[M]>>,
    actual: (visitor: Visitor, expected: never) => unknown,
  ]
} = {
  country: [(codes) => oneOf(codes, ({ place }) => place.country), ({ place }) => place.country],
  region: [(codes) => oneOf(codes, ({ place }) => place.region), ({ place }) => place.region],
  language: [
    (tags) => (visitor) =>
      visitor.languages.some((tag) => tags.some((each) => isWithinTag(tag, each))),
    ({ languages }) => languages[0] ?? null,
  ],
  device: [(kinds) => oneOf(kinds, ({ device }) => device), ({ device }) => device],
  os: [
    (names) =>
      namedOneOf(
        names,
        (visitor) => visitor.os,
        ({ versions }) => versions.os,
      ),
    ({ os, versions }) => said(os, versions.os),
  ],
  browser: [
    (names) =>
      namedOneOf(
        names,
        (visitor) => visitor.browser,
        ({ versions }) => versions.browser,
      ),
    ({ browser, versions }) => said(browser, versions.browser),
  ],
  query: [
    (parameters) => {
      const all = Object.entries(parameters)
      return (visitor) => all.every(([name, values]) => hasValue(visitor.parameter(name), values))
    },
    (visitor, expected) =>
      Object.fromEntries(Object.keys(expected).map((name) => [name, visitor.parameter(name)])),
  ],
  referrer_host: [
    (patterns) => (visitor) => {
      const host = visitor.referrerHost
      return host !== null && patterns.some((pattern) => isHostOf(pattern, host))
    },
    ({ referrerHost }) => referrerHost,
  ],
  network: [
    (networks) => {
      const parsed = parseNetworks(networks)
      return ({ address }) => isWithin(address, parsed)
    },
    ({ address }) => address?.toString() ?? null,
  ],
  time: [
    (window) => isWithinWindow(window),
    ({ facts }, { timezone }: TimeWindow) => zoned(facts.now, timezone).toString(),
  ],
  agent: [(kinds) => oneOf([kinds].flat(), ({ kind }) => kind), ({ kind }) => kind],
}

/** The conditions of a rule, in the order of testing. */
export function conditionsOf(when: When): Condition[] {
  return MEMBERS.flatMap((member) =>
    [member, `not_${member}` as const].flatMap((name) => {
      const expected = when[name]
      if (expected === undefined) return []
      const [test, actual] = TESTS[member]
      const fits = (test as Test<unknown>)(expected)
      const holds = name === member ? fits : (visitor: Visitor) => !fits(visitor)
      return [{ name, expected, holds, actual: (visitor) => actual(visitor, expected as never) }]
    }),
  )
}

function oneOf(values: readonly string[], find: (visitor: Visitor) => string | null) {
  const set = new Set(values)
  return (visitor: Visitor) => {
    const value = find(visitor)
    return value !== null && set.has(value)
  }
}

/** Whether a language tag equals a range or is more specific (RFC 4647 §3.3.1). */
export function isWithinTag(tag: string, range: string): boolean {
  return tag === range || tag.startsWith(`${range}-`)
}

function namedOneOf(
  names: readonly Named[],
  nameOf: (visitor: Visitor) => string | null,
  versionOf: (visitor: Visitor) => string | null,
) {
  const wanted = names.map((named) => ({ key: nameKey(named), min: minOf(named) }))
  return (visitor: Visitor) => {
    const key = nameOf(visitor)?.toLowerCase()
    if (key === undefined) return false
    return wanted.some((each) => each.key === key && isFrom(each.min, () => versionOf(visitor)))
  }
}

function isFrom(min: string | undefined, versionOf: () => string | null): boolean {
  if (min === undefined) return true
  const version = versionOf()
  return version !== null && compareVersions(version, min) >= 0
}

function said(name: string | null, version: string | null): string | null {
  return name === null || version === null ? name : `${name} ${version}`
}

function hasValue(found: readonly string[], values: readonly string[]): boolean {
  if (values.length === 0) return found.length === 0
  return values.includes('*') ? found.length > 0 : found.some((value) => values.includes(value))
}

/** `www.` makes no difference, except for subdomain patterns. */
function isHostOf(pattern: string, host: string): boolean {
  if (pattern.startsWith('*.')) return host.endsWith(pattern.slice(1))
  return bare(host) === bare(pattern)
}

/** A host without `www.`, as in statistics. */
export function bare(host: string): string {
  return host.replace(/^www\.(?=.*\.)/, '')
}

function isWithinWindow({ timezone, from, until, days, hours }: TimeWindow) {
  const spans = hours?.map((span) => span.map((text) => minutesOf(text) as number))
  return ({ facts: { now } }: Visitor): boolean => {
    if (from !== undefined && !isDate(from) && now < Date.parse(from)) return false
    if (until !== undefined && !isDate(until) && now >= Date.parse(until)) return false
    // Dates, days and hours are those of the zone; timestamps aren't.
    const local = zoned(now, timezone)
    const isOn = (day: Temporal.PlainDate) => {
      const date = day.toString()
      if (from !== undefined && isDate(from) && date < from) return false
      if (until !== undefined && isDate(until) && date > until) return false
      return days === undefined || days.includes(WEEKDAYS[day.dayOfWeek - 1] as (typeof days)[0])
    }
    const today = local.toPlainDate()
    if (spans === undefined) return isOn(today)
    const minutes = local.hour * 60 + local.minute
    return spans.some(([start = 0, end = 0]) => {
      if (start < end) return minutes >= start && minutes < end && isOn(today)
      // Hours over midnight belong to the day on which they began.
      if (minutes >= start) return isOn(today)
      return minutes < end && isOn(today.subtract({ days: 1 }))
    })
  }
}
