import type { BotsMode, ClickKind, Dimension } from '../types.ts'

/** Time is stored as a slot, a quarter hour of UTC, and the milliseconds within it. */
export const SLOT_MS = 900_000
/** Slots of a UTC day. */
export const SLOTS_PER_DAY = 96

/**
 * Bits of `clicks.firsts`: this click is the first of its visitor on its UTC day, in the order in
 * which clicks were stored, …
 */
export const FIRST = {
  /** … in the workspace; */
  workspace: 1,
  /** … on its link; */
  link: 2,
  /** … in the workspace with its language, referrer and so on, where null is a value like others. */
  language: 4,
  referrer: 8,
  utm_source: 16,
  utm_medium: 32,
  utm_campaign: 64,
  referrer_path: 128,
} as const satisfies Partial<Record<Dimension | 'workspace', number>>

/** All of {@link FIRST}. */
export const ALL_FIRSTS = 255

/**
 * Values whose roll-ups tell the visitors of one from those of another: the first ones of a block by
 * their clicks. What is listed of a year should be among them in each block.
 */
export const KEPT_VALUES = { few: 160, many: 1_024 }

/** So many values of a block are listed where there may be as many as clicks. */
export const LISTED_VALUES = 2_000

/**
 * In `rolled_members.members` the character of the value with place 0, the next one's that of place 1,
 * and so on: ideographs, because none of them combines with another.
 */
export const FIRST_MEMBER = 0x4e00

/** `dimension` in these tables. */
export const ROLLED = {
  country: 1,
  region: 2,
  city: 3,
  language: 4,
  referrer: 5,
  device: 6,
  browser: 7,
  os: 8,
  utm_source: 9,
  utm_medium: 10,
  utm_campaign: 11,
  utm_term: 12,
  utm_content: 13,
  trigger: 14,
  kind: 15,
  domain: 17,
  link: 18,
  hour: 19,
  referrer_path: 20,
} as const satisfies Partial<Record<Dimension, number>>

/** In the `members` of an hour: its bits are below this one, and the day of its block above. */
export const HOURS_BITS = 24

/** `rolled.form`: how roll-ups are made today. Others aren't answered from, and made anew. */
export const ROLL_UP_FORM = 3

/** What roll-ups are made of; all have `subject` and `block`. */
export const ROLLED_TABLES = [
  'rolled',
  'rolled_slots',
  'rolled_texts',
  'rolled_numbers',
  'rolled_rest',
  'rolled_members',
  'rolled_sets',
] as const

/** `clicks.kind` and `daily.kind`. */
export const KIND = { person: 0, bot: 1, preview: 2 } as const satisfies Record<ClickKind, number>

/** `clicks.kind` back to its name. */
export const KIND_NAMES = ['person', 'bot', 'preview'] as const satisfies readonly ClickKind[]

/** The condition on `kind` that a mode stands for, for a query. */
export const KIND_CONDITION = {
  exclude: 'kind = 0',
  only: 'kind <> 0',
  include: 'true',
} as const satisfies Record<BotsMode, string>

/**
 * XOR-ed to the visitor of a click that is no person's: a person and a program behind one address
 * with one agent are two visitors.
 */
export const NO_PERSON = 0x9e3779b97f4a7c15n

/** A click's time, in milliseconds since the Unix epoch, for a query. */
export const TIME_SQL = '(slot::BIGINT * 900000 + ms)'

/** The columns of `clicks` that hold text, in the table's order. */
export const TEXT_COLUMNS = [
  'reason',
  'country',
  'region',
  'city',
  'language',
  'referrer',
  'referrer_path',
  'device',
  'browser',
  'os',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
] as const

/** What can be asked of a click: the columns of `clicks` by the names that queries have for them. */
export const CLICK_COLUMNS = [
  'link',
  'slot',
  'ms',
  'n',
  'visitor',
  'firsts',
  'first_slot',
  'kind',
  'qr',
  'domain',
  ...TEXT_COLUMNS,
] as const

/** {@link TEXT_COLUMNS} that most clicks have nothing in, and the lists that they are stored as. */
export const LISTS: Partial<Record<(typeof TEXT_COLUMNS)[number], string>> = {
  utm_campaign: 'utm_campaigns',
  utm_term: 'utm_terms',
  utm_content: 'utm_contents',
}

/** The columns that `clicks` really has, in their order: whoever inserts names them. */
export const STORED_COLUMNS: readonly string[] = CLICK_COLUMNS.map((name) => listOf(name) ?? name)

/** A query for {@link STORED_COLUMNS}, of rows that have {@link CLICK_COLUMNS}. */
export function storedSql(source: string): string {
  const columns = CLICK_COLUMNS.map((name) => {
    const list = listOf(name)
    return list === undefined ? name : `if(${name} IS NULL, [], [${name}]) AS ${list}`
  })
  return `SELECT ${columns.join(', ')} FROM ${source}`
}

function listOf(name: string): string | undefined {
  return LISTS[name as (typeof TEXT_COLUMNS)[number]]
}
