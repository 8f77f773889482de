import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import type { Dimension } from '../types.ts'
import type { StatisticsConnection } from './duckdb.ts'
import {
  FIRST_MEMBER,
  HOURS_BITS,
  KEPT_VALUES,
  LISTED_VALUES,
  ROLL_UP_FORM,
  ROLLED,
  ROLLED_TABLES,
  SLOTS_PER_DAY,
} from './schema.ts'

/** UTC days that follow each other; days since the epoch. */
export interface Block {
  block: number
  days: number
}

/** A block of a workspace that is rolled up, and those of its links that are so by themselves. */
export interface RollUp extends Block {
  workspace: number
  hot: readonly number[]
}

/** What a roll-up is made of, each by itself. */
export const PARTS = ['slot', ...(Object.keys(ROLLED) as (keyof typeof ROLLED)[])] as const

/** As they stand in `rolled_numbers`; all others are texts. */
const NUMBERS: Partial<Record<Dimension, string>> = {
  trigger: 'qr::BIGINT',
  kind: 'kind::BIGINT',
  hour: `((slot % ${SLOTS_PER_DAY}) // 4)::BIGINT`,
  domain: 'domain::BIGINT',
  link: 'link',
}

/** May have as many values as clicks: those with few are only rolled up together. */
export const CUT: ReadonlySet<Dimension> = new Set(['referrer_path', 'link'])

/** Those of which fewer values are kept apart by their visitors, who come with more of them. */
const FEW: ReadonlySet<Dimension> = new Set(['referrer', 'link', 'domain'])

/** Where the values of a dimension stand. */
export function valuesTable(dimension: Dimension): 'rolled_numbers' | 'rolled_texts' {
  return NUMBERS[dimension] === undefined ? 'rolled_texts' : 'rolled_numbers'
}

/** The character in `rolled_members.members` of a value with a place, for a query. */
export const memberSql = (place: string) => `chr((${FIRST_MEMBER} + ${place})::INTEGER)`

/** For a test: how many values are kept apart by their visitors, and how many listed. */
export interface RolledValues {
  kept?: number
  listed?: number
}

/** Never differ between clicks of a visitor on a day. */
export const CONSTANT: ReadonlySet<Dimension> = new Set([
  'country',
  'region',
  'city',
  'device',
  'browser',
  'os',
])

/**
 * Says that a roll-up begins, in a transaction of its own or the caller's; what there was is gone.
 * Nothing is answered from it before {@link finishRollUp}, and a change of the clicks takes it away.
 */
export async function beginRollUp(connection: StatisticsConnection, it: RollUp): Promise<void> {
  const { workspace, block, days, hot } = it
  await dropRollUps(
    connection,
    `SELECT ${workspace} AS workspace, unnest(range(${block}, ${block + days})) AS day`,
  )
  const rows = [workspace, ...hot].map(
    (subject) => `(${subject}, ${block}, ${days}, false, ${ROLL_UP_FORM})`,
  )
  await connection.run(`INSERT INTO rolled VALUES ${rows.join(', ')}`)
}

/** False: something has taken it away meanwhile. */
export async function isRollingUp(
  connection: StatisticsConnection,
  { workspace, block }: RollUp,
): Promise<boolean> {
  const rows = await connection.all(
    `SELECT 1 FROM rolled WHERE subject = ${workspace} AND block = ${block} AND NOT whole`,
  )
  return rows.length > 0
}

/** From now on it is answered from. */
export async function finishRollUp(
  connection: StatisticsConnection,
  { workspace, block }: RollUp,
): Promise<void> {
  await connection.run(
    `UPDATE rolled SET whole = true
     WHERE block = ${block} AND (subject = ${workspace} OR subject >> 32 = ${workspace})`,
  )
}

/** Adds one of {@link PARTS}. */
export async function addPart(
  connection: StatisticsConnection,
  it: RollUp,
  part: (typeof PARTS)[number],
  {
    kept = FEW.has(part as Dimension) ? KEPT_VALUES.few : KEPT_VALUES.many,
    listed = LISTED_VALUES,
  }: RolledValues = {},
): Promise<void> {
  if (part === 'slot') {
    for (const rows of rowsOf(it, 'NULL')) await connection.run(slotsSql(it.block, rows))
    return
  }
  const isCut = CUT.has(part)
  for (const rows of rowsOf(it, NUMBERS[part] ?? part, isCut)) {
    await connection.run(`CREATE OR REPLACE TEMP TABLE seen_values AS
      SELECT subject, day, visitor, bot, value, count(*) AS clicks FROM (${rows}) GROUP BY ALL`)
    await connection.run(SUMS_OF_VALUES)
    await connection.run(valuesSql(it.block, part, kept, isCut ? listed : null))
    if (isCut) await connection.run(restSql(it.block, part, listed))
    if (part === 'hour') await connection.run(hourSetsSql(it.block))
    else if (!CONSTANT.has(part)) {
      await connection.run(PLACES_OF_VISITORS(isCut ? Math.min(kept, listed) : kept))
      await connection.run(membersSql(it.block, part))
    }
  }
  for (const table of ['seen_values', 'value_sums', 'seen_places']) {
    await connection.run(`DROP TABLE IF EXISTS ${table}`)
  }
}

/** Clicks with their subject: those of the workspace, and those of its hot links once more. */
function rowsOf({ workspace, block, days, hot }: RollUp, value: string, once = false): string[] {
  const select = (subject: string, where: string) => `
    SELECT ${subject} AS subject, slot, slot // ${SLOTS_PER_DAY} AS day, visitor, kind <> 0 AS bot,
      ${value} AS value
    FROM clicks WHERE slot >= ${block * SLOTS_PER_DAY} AND slot < ${(block + days) * SLOTS_PER_DAY}
      AND link >= ${workspace * SEQS_PER_WORKSPACE} AND link < ${(workspace + 1) * SEQS_PER_WORKSPACE}
      AND ${where}`
  const all = select(`${workspace}::BIGINT`, 'true')
  return once || hot.length === 0 ? [all] : [all, select('link', `link IN (${hot.join(', ')})`)]
}

function slotsSql(block: number, rows: string): string {
  const zero = '0 AS people, 0 AS firsts, 0 AS lasts, 0 AS bots, 0 AS bot_firsts, 0 AS bot_lasts'
  const with_ = (values: Record<string, string>) =>
    zero.replace(/0 AS (\w+)/g, (_, name: string) => `${values[name] ?? 0} AS ${name}`)
  const sums = zero.replace(/0 AS (\w+)/g, 'sum($1)::INTEGER AS $1')
  const one = (bot: boolean) => `if(${bot ? '' : 'NOT '}bot, n, 0)`
  return `INSERT INTO rolled_slots
    WITH came AS (
      SELECT subject, bot, min(slot) AS first, max(slot) AS last
      FROM (${rows}) WHERE visitor IS NOT NULL GROUP BY subject, day, visitor, bot)
    SELECT subject, ${block}, slot, ${sums} FROM (
      SELECT subject, slot, ${with_({ people: one(false), bots: one(true) })}
        FROM (SELECT subject, slot, bot, count(*) AS n FROM (${rows}) GROUP BY ALL)
      UNION ALL SELECT subject, first, ${with_({ firsts: one(false), bot_firsts: one(true) })}
        FROM (SELECT subject, first, bot, count(*) AS n FROM came GROUP BY ALL)
      UNION ALL SELECT subject, last, ${with_({ lasts: one(false), bot_lasts: one(true) })}
        FROM (SELECT subject, last, bot, count(*) AS n FROM came GROUP BY ALL)
    ) GROUP BY subject, slot ORDER BY subject, slot`
}

/** Numbers of each value; `place`: from 0, by its clicks. */
const SUMS_OF_VALUES = `CREATE OR REPLACE TEMP TABLE value_sums AS
  SELECT *, row_number() OVER (PARTITION BY subject ORDER BY people + bots DESC) - 1 AS place
  FROM (
    SELECT subject, value,
      coalesce(sum(clicks) FILTER (NOT bot), 0) AS people,
      count(visitor) FILTER (NOT bot) AS visitors,
      coalesce(sum(clicks) FILTER (bot), 0) AS bots,
      count(visitor) FILTER (bot) AS bot_visitors
    FROM seen_values GROUP BY subject, value
  )`

function valuesSql(
  block: number,
  part: keyof typeof ROLLED,
  kept: number,
  listed: number | null,
): string {
  const place = part === 'hour' ? 'value' : `if(place < ${kept}, place, NULL)`
  // Ordered so that what is alike comes together: it takes the least space.
  return `INSERT INTO ${valuesTable(part)}
    SELECT subject, ${block}, ${ROLLED[part]}, value,
      ${place}, people, visitors, bots, bot_visitors
    FROM value_sums WHERE ${listed === null ? 'true' : `place < ${listed}`}
    ORDER BY subject, people DESC, visitors DESC, bots DESC, bot_visitors DESC, value`
}

function restSql(block: number, part: keyof typeof ROLLED, listed: number): string {
  return `INSERT INTO rolled_rest
    SELECT subject, ${block}, ${ROLLED[part]}, max(people + bots), sum(people), sum(bots)
    FROM value_sums WHERE place >= ${listed} GROUP BY subject`
}

/** The places of each visitor's values: null where it isn't one of the `kept`. */
const PLACES_OF_VISITORS = (kept: number) => `CREATE OR REPLACE TEMP TABLE seen_places AS
  SELECT seen_values.subject, day, visitor, bot, place
  FROM seen_values LEFT JOIN (SELECT * FROM value_sums WHERE place < ${kept}) AS known
  ON seen_values.subject = known.subject AND seen_values.value IS NOT DISTINCT FROM known.value
  WHERE visitor IS NOT NULL`

/** Most visitors have one value or two: the others' are put in order apart, which takes its time. */
function membersSql(block: number, part: keyof typeof ROLLED): string {
  return `INSERT INTO rolled_members
    WITH came AS MATERIALIZED (
      SELECT subject, day, visitor, bot, count(*) AS n, min(place) AS low, max(place) AS high
      FROM seen_places GROUP BY subject, day, visitor, bot HAVING count(*) = count(place))
    SELECT subject, ${block}, ${ROLLED[part]}, members,
      count(*) FILTER (NOT bot), count(*) FILTER (bot)
    FROM (
      SELECT subject, bot, ${memberSql('low')} || if(n = 2, ${memberSql('high')}, '') AS members
      FROM came WHERE n <= 2
      UNION ALL
      SELECT subject, bot, string_agg(${memberSql('place')}, '' ORDER BY place) AS members
      FROM seen_places SEMI JOIN (SELECT * FROM came WHERE n > 2) AS often
        USING (subject, day, visitor, bot)
      GROUP BY subject, day, visitor, bot
    ) GROUP BY subject, members ORDER BY subject, 5 DESC, 6 DESC, members`
}

function hourSetsSql(block: number): string {
  return `INSERT INTO rolled_sets
    SELECT subject, ${block}, ${ROLLED.hour}, members,
      count(*) FILTER (NOT bot), count(*) FILTER (bot)
    FROM (
      SELECT subject, visitor, bot,
        ((day - ${block})::BIGINT << ${HOURS_BITS}) | bit_or(1::BIGINT << value) AS members
      FROM seen_values WHERE visitor IS NOT NULL GROUP BY subject, day, visitor, bot
    ) GROUP BY subject, members ORDER BY subject, 5 DESC, 6 DESC, members`
}

/**
 * Takes away what rolls up days of a workspace, in the transaction that changes their clicks.
 * @param days a query for `workspace, day`
 */
export async function dropRollUps(connection: StatisticsConnection, days: string): Promise<void> {
  const [any] = await connection.all('SELECT 1 FROM rolled LIMIT 1')
  if (any === undefined) return
  await connection.run(`CREATE OR REPLACE TEMP TABLE outdated AS
    SELECT DISTINCT rolled.subject, rolled.block FROM rolled JOIN (${days}) AS changed
    ON changed.day >= block AND changed.day < block + days
      AND changed.workspace = if(subject >> 32 = 0, subject, subject >> 32)`)
  const [some] = await connection.all('SELECT 1 FROM outdated LIMIT 1')
  if (some !== undefined) {
    for (const table of ROLLED_TABLES) {
      await connection.run(
        `DELETE FROM ${table} USING outdated
         WHERE ${table}.subject = outdated.subject AND ${table}.block = outdated.block`,
      )
    }
  }
  await connection.run('DROP TABLE outdated')
}
