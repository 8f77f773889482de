import type {
  FIRST,
  FIRST_MEMBER,
  HOURS_BITS,
  KEPT_VALUES,
  LISTED_VALUES,
  LISTS,
  ROLLED,
  SLOT_MS,
} from './schema.ts'

/**
 * In clicks. A link's report looks through a row group a month, mostly in vain: it takes 2.7 ms where DuckDB's own
 * 122,880 take 4.5; and a click 0.7 bytes more. Only ATTACH can say so, and a file that is opened without it
 * has its row groups merged into larger ones at the next checkpoint.
 */
const ROW_GROUP_SIZE = 61_440

/**
 * How files are attached: the newest form, in which strings take a third less; only this program reads
 * them. https://duckdb.org/docs/1.5/sql/statements/attach
 */
export const FILE_OPTIONS = `ROW_GROUP_SIZE ${ROW_GROUP_SIZE}, STORAGE_VERSION 'latest'`

/**
 * One row a click.
 *
 * - `link`: `links.seq`, which is workspace number × 2^32 + n: a workspace is a range.
 * - `slot`, `ms`: see {@link SLOT_MS}. `n`: 0, 1, 2 … among all clicks of one millisecond.
 * - `visitor`: null when they asked not to be told apart.
 * - `firsts`: bits of {@link FIRST}; 0 when `visitor` is null.
 * - `first_slot`: slot within the UTC day (0–95) of the visitor's click that has the bit
 *   `FIRST.workspace`; null when `visitor` is.
 * - `utm_campaigns`, `utm_terms`, `utm_contents`: no text or one. In a column of texts a null takes as many
 *   bits as a value, 6 to 9 of them; in one of lists a single one. See {@link LISTS}.
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
 * - `rolled_texts`: clicks and visitors with a value of a dimension ({@link ROLLED}) that is a text;
 *   `rolled_numbers`: of another one (an hour of UTC). `place`: from 0, for {@link KEPT_VALUES} of them.
 * - `rolled_rest`: clicks with values that neither of these has, because there are more than
 *   {@link LISTED_VALUES}; `most`: of one of these values, at most.
 * - `rolled_members`: visitors who came with these values (a character each, in the order of their
 *   `place`, see {@link FIRST_MEMBER}) and with no others.
 * - `rolled_sets`: the same of hours (bits 0–23), for each day by itself: its number in the block ×
 *   2^{@link HOURS_BITS}.
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
    utm_campaigns VARCHAR[],
    utm_terms VARCHAR[],
    utm_contents VARCHAR[],
    utm_campaign VARCHAR GENERATED ALWAYS AS (utm_campaigns[1]) VIRTUAL,
    utm_term VARCHAR GENERATED ALWAYS AS (utm_terms[1]) VIRTUAL,
    utm_content VARCHAR GENERATED ALWAYS AS (utm_contents[1]) VIRTUAL
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
  // Of files of before: what it held is made anew.
  'DROP TABLE IF EXISTS rolled_values',
  `CREATE TABLE IF NOT EXISTS rolled_texts (
    subject BIGINT NOT NULL,
    block INTEGER NOT NULL,
    dimension UTINYINT NOT NULL,
    value VARCHAR,
    place USMALLINT,
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
  `CREATE TABLE IF NOT EXISTS rolled_rest (
    subject BIGINT NOT NULL,
    block INTEGER NOT NULL,
    dimension UTINYINT NOT NULL,
    most INTEGER NOT NULL,
    people INTEGER NOT NULL,
    bots INTEGER NOT NULL
  )`,
  `CREATE TABLE IF NOT EXISTS rolled_members (
    subject BIGINT NOT NULL,
    block INTEGER NOT NULL,
    dimension UTINYINT NOT NULL,
    members VARCHAR NOT NULL,
    visitors INTEGER NOT NULL,
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
