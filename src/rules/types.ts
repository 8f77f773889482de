/** What a rule decides by, as it is stored and given out. Each is also known as `not_…`. */
export interface Conditions {
  country?: string[]
  region?: string[]
  language?: string[]
  device?: Device[]
  os?: Named[]
  browser?: Named[]
  /** By parameter: any of these values, `*` any, none: the parameter is absent. */
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

/** When a rule holds: all members do. */
export type When = Conditions & { [M in Member as `not_${M}`]?: Conditions[M] }

/** Kinds of devices; whatever else there is counts as `other`. */
export const DEVICES = ['mobile', 'tablet', 'desktop', 'tv', 'other'] as const
export type Device = (typeof DEVICES)[number]

/** Who may visit. */
export const AGENT_KINDS = ['human', 'bot', 'preview'] as const
export type AgentKind = (typeof AGENT_KINDS)[number]

/** The days of a week as rules name them, Monday first. */
export const WEEKDAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
export type Weekday = (typeof WEEKDAYS)[number]

/** A browser or an operating system, from a version on or any. */
export type Named = string | { name: string; min?: string | undefined }

/** Times on the clocks of a zone. */
export interface TimeWindow {
  timezone: string
  /** A timestamp, or a date: from its midnight on. */
  from?: string | undefined
  /** A timestamp, itself not included, or a date, which is included. */
  until?: string | undefined
  days?: Weekday[] | undefined
  /** From the first up to the second, which is not included; past midnight where it is earlier. */
  hours?: [from: string, until: string][] | undefined
}

/** One of several destinations that visitors are split between. */
export interface Variant {
  id: string
  name?: string | undefined
  destination_url: string
  weight: number
}

/** What a rule answers itself, instead of leading to a destination. */
export const ANSWERS = ['fallback', 'not_found', 'gone'] as const
export type RuleAnswer = (typeof ANSWERS)[number]

/** What happens where a rule holds: exactly one of these. */
export interface Then {
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
  name: 100,
  id: 64,
  /** Of rules or variants as they are stored, in characters. */
  stored: 65_536,
} as const
