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
 * their clicks. A bit of `rolled_sets.members` each.
 */
export const KEPT_VALUES = 32

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
} as const satisfies Partial<Record<Dimension, number>>

/** In the `members` of an hour: its bits are below this one, and the day of its block above. */
export const HOURS_BITS = 24

/** `rolled.form`: how roll-ups are made today. Others aren't answered from, and made anew. */
export const ROLL_UP_FORM = 2

/** What roll-ups are made of; all have `subject` and `block`. */
export const ROLLED_TABLES = [
  'rolled',
  'rolled_slots',
  'rolled_values',
  'rolled_numbers',
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

/**
 * One row a click.
 *
 * - `link`: `links.seq`, which is workspace number × 2^32 + n: a workspace is a range.
 * - `slot`, `ms`: see {@link SLOT_MS}. `n`: 0, 1, 2 … among all clicks of one millisecond.
 * - `visitor`: null when they asked not to be told apart.
 * - `firsts`: bits of {@link FIRST}; 0 when `visitor` is null.
 * - `first_slot`: slot within the UTC day (0–95) of the visitor's click that has the bit
 *   `FIRST.workspace`; null when `visitor` is.
 *
 * `daily` holds what is left of clicks that were purged after the plan's retention: how many, and
 * of how many visitors of the link that day (`uniques`) and of the workspace: the sum of
 * `workspace_uniques` over a workspace's links is the number of its visitors of that day.
 *
 * The tables `rolled…` repeat what `clicks` holds: numbers of all clicks of a `subject` (a
 * workspace's number, or a link with many clicks) in a block: so many UTC days from day `block` on.
 * Visitors are of one UTC day, so that those of several days add up. They are true while `rolled`
 * says `whole`: whatever changes clicks of these days takes them away in the same transaction.
 *
 * - `rolled_slots`: people's clicks in a slot, and visitors whose first (`firsts`) and whose last
 *   click of their UTC day (`lasts`) is in it; the same of bots and previews.
 * - `rolled_values`: clicks and visitors with a value of a dimension ({@link ROLLED}) that is a text;
 *   `rolled_numbers`: of another one (an hour of UTC). `place`: from 0, for {@link KEPT_VALUES} of them.
 * - `rolled_sets`: visitors who came with these values (bits: their `place`) and with no others. Of
 *   hours (0–23, their place) for each day by itself: its number in the block × 2^{@link HOURS_BITS}.
 */
export const TABLES = [
  `CREATE TABLE IF NOT EXISTS clicks (
    link BIGINT NOT NULL,
    slot INTEGER NOT NULL,
    ms UINTEGER NOT NULL,
    n UINTEGER NOT NULL,
    visitor UBIGINT,
    firsts USMALLINT NOT NULL,
    first_slot UTINYINT,
    kind UTINYINT NOT NULL,
    qr BOOLEAN NOT NULL,
    domain INTEGER NOT NULL,
    reason VARCHAR,
    country VARCHAR,
    region VARCHAR,
    city VARCHAR,
    language VARCHAR,
    referrer VARCHAR,
    referrer_path VARCHAR,
    device VARCHAR,
    browser VARCHAR,
    os VARCHAR,
    utm_source VARCHAR,
    utm_medium VARCHAR,
    utm_campaign VARCHAR,
    utm_term VARCHAR,
    utm_content VARCHAR
  )`,
  `CREATE TABLE IF NOT EXISTS daily (
    link BIGINT NOT NULL,
    day INTEGER NOT NULL,
    kind UTINYINT NOT NULL,
    clicks BIGINT NOT NULL,
    uniques BIGINT NOT NULL,
    workspace_uniques BIGINT NOT NULL
  )`,
  // Up to where the journal is stored: one row, none before the first batch.
  'CREATE TABLE IF NOT EXISTS watermark (segment BIGINT NOT NULL, "offset" BIGINT NOT NULL)',
  // Where in the journal, and at which click's time, this file begins when it hasn't all clicks.
  'CREATE TABLE IF NOT EXISTS origin (segment BIGINT NOT NULL, since BIGINT NOT NULL)',
  // Months (12 × year + month) and days whose clicks are in order, and how many they were then.
  `CREATE TABLE IF NOT EXISTS ordered (
    unit VARCHAR NOT NULL,
    no INTEGER NOT NULL,
    clicks BIGINT NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS rolled (
    subject BIGINT NOT NULL,
    block INTEGER NOT NULL,
    days INTEGER NOT NULL,
    whole BOOLEAN NOT NULL,
    form UTINYINT
  )`,
  // Files of before have none.
  'ALTER TABLE rolled ADD COLUMN IF NOT EXISTS form UTINYINT',
  `CREATE TABLE IF NOT EXISTS rolled_slots (
    subject BIGINT NOT NULL,
    block INTEGER NOT NULL,
    slot INTEGER NOT NULL,
    people INTEGER NOT NULL,
    firsts INTEGER NOT NULL,
    lasts INTEGER NOT NULL,
    bots INTEGER NOT NULL,
    bot_firsts INTEGER NOT NULL,
    bot_lasts INTEGER NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS rolled_values (
    subject BIGINT NOT NULL,
    block INTEGER NOT NULL,
    dimension UTINYINT NOT NULL,
    value VARCHAR,
    place UTINYINT,
    people INTEGER NOT NULL,
    visitors INTEGER NOT NULL,
    bots INTEGER NOT NULL,
    bot_visitors INTEGER NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS rolled_numbers (
    subject BIGINT NOT NULL,
    block INTEGER NOT NULL,
    dimension UTINYINT NOT NULL,
    value BIGINT NOT NULL,
    place UTINYINT,
    people INTEGER NOT NULL,
    visitors INTEGER NOT NULL,
    bots INTEGER NOT NULL,
    bot_visitors INTEGER NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS rolled_sets (
    subject BIGINT NOT NULL,
    block INTEGER NOT NULL,
    dimension UTINYINT NOT NULL,
    members BIGINT NOT NULL,
    visitors INTEGER NOT NULL,
    bot_visitors INTEGER NOT NULL
  )`,
] as const

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

/** Names of the columns of `clicks`, in their order. */
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
