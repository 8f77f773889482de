/** The conditions of a rule, as stored and returned. Each also exists as `not_…`. */
export interface Conditions {
  country?: string[]
  region?: string[]
  language?: string[]
  device?: Device[]
  os?: Named[]
  browser?: Named[]
  /** By parameter: any of these values; `*`: any value; empty: the parameter is absent. */
  query?: Record<string, string[]>
  referrer_host?: string[]
  network?: string[]
  time?: TimeWindow
  agent?: AgentKind | AgentKind[]
}

/** The names of {@link Conditions}. */
export const MEMBERS = [
  'country',
  'region',
  'language',
  'device',
  'os',
  'browser',
  'query',
  'referrer_host',
  'network',
  'time',
  'agent',
] as const satisfies readonly (keyof Conditions)[]
export type Member = (typeof MEMBERS)[number]

/** A rule matches if all of its conditions hold. */
export type When = Conditions & { [M in Member as `not_${M}`]?: Conditions[M] }

/** Kinds of devices; anything else counts as `other`. */
export const DEVICES = ['mobile', 'tablet', 'desktop', 'tv', 'other'] as const
export type Device = (typeof DEVICES)[number]

/** Kinds of visitors. */
export const AGENT_KINDS = ['human', 'bot', 'preview'] as const
export type AgentKind = (typeof AGENT_KINDS)[number]

/** The days of the week in rules, Monday first. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** A browser or an operating system, in any version or from one on. */
export type Named = string | { name: string; min?: string | undefined }

/** Times in a zone. */
export interface TimeWindow {
  timezone: string
  /** A timestamp, or a date, meaning its midnight. */
  from?: string | undefined
  /** A timestamp (exclusive), or a date (inclusive). */
  until?: string | undefined
  days?: Weekday[] | undefined
  /**
   * From the first (inclusive) to the second (exclusive); past midnight if that is earlier, and
   * then part of the day on which they begin.
   */
  hours?: [from: string, until: string][] | undefined
}

/** Whether hours end on the day after the one to which they belong. */
export function isOvernight([start = '', end = '']: readonly string[]): boolean {
  return end !== '' && end < start
}

/** One of several destinations that visitors are split between. */
export interface Variant {
  id: string
  name?: string | undefined
  destination_url: string
  weight: number
}

/** Responses of a rule without a destination. */
export const ANSWERS = ['fallback', 'not_found', 'gone'] as const
export type RuleAnswer = (typeof ANSWERS)[number]

/** The outcome of a matching rule: exactly one of these. */
interface Then {
  destination_url?: string | undefined
  variants?: Variant[] | undefined
  answer?: RuleAnswer | undefined
}

/** A rule of a link. */
export interface Rule {
  id: string
  name?: string | undefined
  when: When
  then: Then
}

/** Bounds of rules and variants. */
export const RULE_BOUNDS = {
  rules: 50,
  variants: 20,
  weight: 10_000,
  values: 100,
  /** Names of `when.query`. */
  parameters: 20,
  name: 100,
  id: 64,
  /** The size of stored rules or variants, in characters. */
  stored: 65_536,
} as const
