import type { DuckDBConnection } from '@duckdb/node-api'
import { steadySql } from '../../src/statistics/store/steady.ts'

/** What {@link generateYear} makes. */
export interface ClickYear {
  /** Clicks of the workspace that is asked about. */
  clicks: number
  /** Clicks of five other workspaces, together. */
  others: number
  links: number
  /** First UTC day, in days since the epoch. */
  firstDay: number
}

/** Number of the workspace that is asked about. */
export const WORKSPACE = 1
export const DAYS = 365
const MONTHS = 12

/**
 * Fills `clicks` with a year, month by month, each ordered by link and time, as the store leaves
 * them; the last day is today, which isn't in order yet. Links follow Zipf's law; a fifth are bots;
 * about a third of people's clicks are repeats of the day, half of them on the same link. Marks of
 * firsts are made by their definition.
 */
export async function generateYear(
  connection: DuckDBConnection,
  { clicks, others, links, firstDay }: ClickYear,
): Promise<void> {
  await connection.run('SELECT setseed(0.42)')
  const today = (firstDay + DAYS - 1) * 96
  for (let month = 0; month < MONTHS; month++) {
    const from = Math.floor((month * DAYS) / MONTHS)
    const days = Math.floor(((month + 1) * DAYS) / MONTHS) - from
    const count = Math.floor(((clicks + others) * days) / DAYS)
    await connection.run(`CREATE OR REPLACE TEMP TABLE drawn AS ${DRAWN}`, {
      count,
      first: firstDay + from,
      days,
      links,
      share: clicks / (clicks + others),
      people: Math.round((0.85 * count) / days),
    })
    await connection.run(`CREATE OR REPLACE TEMP TABLE marked AS ${MARKED}`)
    const still = steadySql(`(SELECT * FROM marked WHERE slot < ${today})`)
    await connection.run(`INSERT INTO clicks BY NAME ${still} ORDER BY link, slot, ms, n`)
    await connection.run(
      `INSERT INTO clicks BY NAME SELECT * FROM marked WHERE slot >= ${today} ORDER BY slot, ms, n`,
    )
  }
  await connection.run('DROP TABLE drawn')
  await connection.run('DROP TABLE marked')
  await connection.run('CHECKPOINT')
}

/** `v`: draws that stay with the visitor of the day; `r`: those of the click. */
const DRAWN = `
WITH a AS (
  SELECT i, $first + floor(random() * $days)::INTEGER AS day,
    -- More clicks in the afternoon than at night.
    floor((0.5 + (random() + random() - 1) / 2) * 86400000)::BIGINT AS in_day,
    random() < $share AS main, floor(random() * $people)::BIGINT AS person,
    random() AS r1, random() AS r2, random() AS r3, random() AS r4, random() AS r5
  FROM range($count) t(i)
), b AS (
  SELECT *, hash(person, day, main) AS vhash, (vhash % 1000003) / 1000003 AS v1,
    (hash(vhash, 1) % 1000003) / 1000003 AS v2, (hash(vhash, 2) % 1000003) / 1000003 AS v3,
    (hash(vhash, 3) % 1000003) / 1000003 AS v4, (hash(vhash, 4) % 1000003) / 1000003 AS v5
  FROM a
), c AS (
  SELECT *, v5 < 0.2 AS bot, if(r1 < 0.5, v1, r2) AS l1, if(r3 < 0.7, v2, r4) AS ref,
    floor(exp(ref * ln(4001)))::INTEGER - 1 AS refno, if(r3 < 0.9, v3, r5) AS camp
  FROM b
)
SELECT
  if(main, ${WORKSPACE}, 2 + (vhash % 5)::INTEGER)::BIGINT * 4294967296
    + floor(exp(l1 * ln($links + 1)))::BIGINT AS link,
  day * 96 + (in_day // 900000)::INTEGER AS slot, (in_day % 900000)::UINTEGER AS ms,
  i AS draw,
  if(v4 < 0.03, NULL, vhash) AS visitor,
  if(bot, if(v5 < 0.03, 2, 1), 0)::UTINYINT AS kind,
  NOT bot AND r5 < 0.05 AS qr, if(v1 < 0.9, 1, 2)::INTEGER AS domain,
  if(bot, if(v5 < 0.03, 'unfurler', 'crawler'), NULL) AS reason,
  if(v3 < 0.01, NULL, 'C' || floor(exp(v3 * ln(201)))::INTEGER) AS country,
  NULL::VARCHAR AS region, NULL::VARCHAR AS city,
  if(bot, NULL, 'l' || floor(exp(if(r4 < 0.99, v3, r4) * ln(31)))::INTEGER) AS language,
  if(bot OR ref < 0.35, NULL, 'www' || refno || '.example.org') AS referrer,
  if(bot OR ref < 0.35, NULL,
    if(r5 < 0.5, '/', '/posts/' || refno || '/' || floor(r4 * 20)::INTEGER)) AS referrer_path,
  if(bot, NULL, if(v1 < 0.55, 'mobile', if(v1 < 0.95, 'desktop', 'tablet'))) AS device,
  if(bot, NULL, 'Browser' || floor(exp(v2 * ln(16)))::INTEGER) AS browser,
  if(bot, NULL, 'System' || floor(exp(v1 * ln(9)))::INTEGER) AS os,
  if(camp < 0.6, NULL, 'source' || floor(exp((camp - 0.6) * 2.5 * ln(31)))::INTEGER) AS utm_source,
  if(camp < 0.6, NULL, 'medium' || floor((camp * 100) % 6)::INTEGER) AS utm_medium,
  if(camp < 0.6, NULL, 'campaign-' || floor(exp((camp - 0.6) * 2.5 * ln(301)))::INTEGER)
    AS utm_campaign,
  if(camp < 0.97, NULL, 'term ' || floor(r2 * 50)::INTEGER) AS utm_term,
  if(camp < 0.9, NULL, 'content ' || floor(r2 * 100)::INTEGER) AS utm_content
FROM c`

/** Bits of `firsts` from the lowest on (see the store's schema): what each is a first of. */
const FIRSTS = [
  'TRUE',
  'link',
  'language',
  'referrer',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'referrer_path',
]

const MARKED = `
SELECT * EXCLUDE (draw),
  (row_number() OVER (PARTITION BY slot, ms ORDER BY draw) - 1)::UINTEGER AS n,
  if(visitor IS NULL, 0, ${FIRSTS.map(
    (value, bit) =>
      `if(row_number() OVER (PARTITION BY visitor, link >> 32, ${value}
        ORDER BY slot, ms, draw) = 1, ${1 << bit}, 0)`,
  ).join(' + ')})::USMALLINT AS firsts,
  if(visitor IS NULL, NULL, min(slot) OVER (PARTITION BY visitor, link >> 32) % 96)::UTINYINT
    AS first_slot
FROM drawn`
