import fc from 'fast-check'
import { SEQS_PER_WORKSPACE } from '../../../storage/index.ts'
import type { StatisticsConnection } from '../../store/duckdb.ts'
import {
  addPart,
  type Block,
  beginRollUp,
  finishRollUp,
  PARTS,
  type RolledValues,
} from '../../store/rollups.ts'
import {
  CLICK_COLUMNS,
  FIRST,
  KIND,
  ROLLED_TABLES,
  SLOT_MS,
  SLOTS_PER_DAY,
  storedSql,
} from '../../store/schema.ts'
import { steadySql } from '../../store/steady.ts'
import type { ClickKind, Dimension, Selection, StoredClick } from '../../types.ts'
import { zoneOffsets } from '../../zones.ts'
import type { Everything, PurgedDay } from './naive.ts'

const DAY_MS = 86_400_000
/** Two days before clocks change in Berlin, and a week before they do in New South Wales. */
export const FIRST_DAY = Date.parse('2026-03-27T00:00:00Z') / DAY_MS
const DAYS = 10
const ALL_DAYS = Array.from({ length: DAYS }, (_, day) => FIRST_DAY + day)
export const LINKS = [1, 2, 3].map((n) => SEQS_PER_WORKSPACE + n)
const STRANGER = 2 * SEQS_PER_WORKSPACE + 1
export const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Asia/Beirut',
  'Africa/Casablanca',
] as const

/** A world, and which of its days stand still or are rolled up. */
export interface World extends Everything {
  settled: number[]
  /** Days that are rolled up, the links that are so by themselves, and how many values are. */
  rolled: Block[]
  hot: number[]
  values: Required<RolledValues>
}

const some = <T>(...values: T[]) => fc.constantFrom<(T | null)[]>(...values, null)

/** What a visitor is all day. */
const visitor = fc.record({
  country: some('DE', 'US'),
  region: some('DE-BE'),
  city: some('Berlin', 'Köln'),
  device: some('mobile', 'desktop'),
  browser: some('Firefox', 'Chrome'),
  os: some('Android', 'Ünix'),
  told: fc.boolean(),
})

const moment = fc.oneof(
  fc.nat(DAY_MS - 1),
  // Some on the quarters, just before them, and together.
  fc.nat(SLOTS_PER_DAY - 1).map((slot) => slot * SLOT_MS),
  fc.integer({ min: 1, max: SLOTS_PER_DAY }).map((slot) => slot * SLOT_MS - 1),
)

const click = fc.record({
  linkSeq: fc.constantFrom(...LINKS, STRANGER),
  day: fc.oneof(fc.nat(2), fc.nat(DAYS - 1)),
  moment,
  who: fc.nat(2),
  kind: fc.constantFrom<ClickKind[]>('person', 'person', 'person', 'bot', 'preview'),
  reason: some('crawler'),
  trigger: fc.constantFrom('click' as const, 'qr' as const),
  domainNo: fc.nat(1),
  language: some('de', 'zh-Hant'),
  referrer: some('a.example', 'b.example'),
  referrer_path: some('/', '/x'),
  utm_source: some('s', "'; --"),
  utm_medium: some('m'),
  utm_campaign: some('c', 'd'),
  utm_term: some('t'),
  utm_content: some('=1', 'a,"b"'),
})

const purged = fc
  .record({
    link: fc.constantFrom(...LINKS, STRANGER),
    day: fc.integer({ min: FIRST_DAY - 2, max: FIRST_DAY + 1 }),
    kind: fc.constantFrom<(0 | 1 | 2)[]>(0, 1, 2),
    clicks: fc.integer({ min: 1, max: 9 }),
    uniques: fc.nat(9),
    workspace_uniques: fc.nat(9),
  })
  .map(
    (row): PurgedDay => ({
      ...row,
      uniques: Math.min(row.clicks, row.uniques),
      workspace_uniques: Math.min(row.clicks, row.uniques, row.workspace_uniques),
    }),
  )

/** Clicks by a few visitors on a few days. */
export const world: fc.Arbitrary<World> = fc
  .record({
    visitors: fc.array(fc.array(visitor, { minLength: 3, maxLength: 3 }), {
      minLength: DAYS,
      maxLength: DAYS,
    }),
    // Without a size of their own there would be a handful: too few to meet each other.
    made: fc.array(click, { maxLength: 80, size: 'max' }),
    purged: fc.oneof(fc.constant([]), fc.array(purged, { maxLength: 5 })),
    settled: fc.oneof(fc.constant<number[]>([]), fc.constant(ALL_DAYS), fc.subarray(ALL_DAYS)),
    rolled: fc.oneof(
      fc.constant<Block[]>([]),
      fc.constant<Block[]>([{ block: FIRST_DAY, days: DAYS }]),
      fc.array(
        fc.record({ block: fc.constantFrom(...ALL_DAYS), days: fc.integer({ min: 1, max: 5 }) }),
        {
          maxLength: 3,
        },
      ),
    ),
    hot: fc.subarray(LINKS),
    values: fc.record({
      kept: fc.constantFrom(1, 2, 3, 32),
      listed: fc.constantFrom(1, 2, 3, 4, 32),
    }),
  })
  .map(({ visitors, made, rolled, ...rest }) => {
    const taken = new Set<number>()
    const apart = rolled.filter(({ block, days }) => {
      const own = Array.from({ length: days }, (_, i) => block + i)
      if (own.some((day) => taken.has(day))) return false
      for (const day of own) taken.add(day)
      return true
    })
    const clicks = made
      .map(({ day, moment: at, who, ...values }): StoredClick => {
        const { told, ...same } = (visitors[day] as (typeof visitors)[0])[
          who
        ] as (typeof visitors)[0][0]
        const number = BigInt(1 + day * 10 + who) * 0x9e3779b97f4a7c15n
        const own = values.kind === 'person' ? number : number ^ 0xffffn
        return {
          ...values,
          ...same,
          time: (FIRST_DAY + day) * DAY_MS + at,
          n: 0,
          visitor: told ? BigInt.asUintN(64, own) : null,
        }
      })
      .sort((a, b) => a.time - b.time)
    clicks.forEach((it, i) => {
      const before = clicks[i - 1]
      if (before?.time === it.time) it.n = before.n + 1
    })
    return { ...rest, clicks, rolled: apart }
  })

const VALUES: Readonly<Record<Dimension, readonly (string | number | null)[]>> = {
  country: ['DE', 'US', 'FR', null],
  region: ['DE-BE', null],
  city: ['Berlin', 'Köln', null],
  language: ['de', 'zh-Hant', null],
  referrer: ['a.example', 'b.example', null],
  referrer_path: ['/', '/x', null],
  device: ['mobile', 'desktop', null],
  browser: ['Firefox', 'Chrome', null],
  os: ['Android', 'Ünix', null],
  utm_source: ['s', "'; --", null],
  utm_medium: ['m', null],
  utm_campaign: ['c', 'd', null],
  utm_term: ['t', null],
  utm_content: ['=1', 'a,"b"', null],
  trigger: ['click', 'qr', 'nothing'],
  kind: ['person', 'bot', 'preview'],
  hour: [0, 2, 5, 12, 23],
  weekday: [1, 5, 6, 7],
  domain: [0, 1, 7],
  link: [...LINKS, STRANGER],
}

const filter = fc.constantFrom(...(Object.keys(VALUES) as Dimension[])).chain((dimension) =>
  fc.record({
    dimension: fc.constant(dimension),
    values: fc.subarray([...VALUES[dimension]], { minLength: 1 }),
    exclude: fc.boolean(),
  }),
)

const end = fc
  .record({ day: fc.nat(DAYS), at: fc.oneof(fc.constant(0), moment) })
  .map(({ day, at }) => (FIRST_DAY + day) * DAY_MS + at)

/** Questions about such a world, in a zone. */
export const question: fc.Arbitrary<{ selection: Selection; zone: string }> = fc
  .record({
    ends: fc.tuple(fc.oneof(fc.constant((FIRST_DAY - 3) * DAY_MS), end), end),
    linkSeq: fc.oneof(
      { weight: 2, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.constantFrom(...LINKS) },
    ),
    linkSeqs: fc.oneof(
      { weight: 4, arbitrary: fc.constant(null) },
      { weight: 1, arbitrary: fc.subarray(LINKS) },
    ),
    filters: fc.oneof(
      fc.constant([]),
      fc.array(filter, { minLength: 1, maxLength: 1 }),
      fc.array(filter, { maxLength: 3 }),
    ),
    bots: fc.constantFrom('exclude' as const, 'include' as const, 'only' as const),
    zone: fc.constantFrom(...ZONES),
  })
  .map(({ ends, zone, ...rest }) => {
    const from = Math.min(...ends)
    const to = Math.max(...ends, from + 1)
    return {
      zone,
      selection: { ...rest, from, to, workspaceNo: 1, offsets: zoneOffsets(zone, from, to) },
    }
  })

/** The way in which clicks are marked as firsts, as the store's schema says it. */
function marked(clicks: readonly StoredClick[]): Record<string, unknown>[] {
  const seen = new Set<string>()
  const firstSlots = new Map<string, number>()
  return clicks.map((it) => {
    const slot = Math.floor(it.time / SLOT_MS)
    const scope = `${Math.floor(it.linkSeq / SEQS_PER_WORKSPACE)} ${Math.floor(it.time / DAY_MS)} ${it.visitor}`
    let firsts = 0
    for (const [of, bit] of Object.entries(FIRST)) {
      if (it.visitor === null) break
      const value = of === 'workspace' ? '' : of === 'link' ? it.linkSeq : it[of as 'language']
      const key = `${scope} ${of} ${JSON.stringify(value)}`
      if (!seen.has(key)) firsts |= bit
      seen.add(key)
    }
    if (!firstSlots.has(scope)) firstSlots.set(scope, slot % SLOTS_PER_DAY)
    return {
      ...it,
      link: it.linkSeq,
      slot,
      ms: it.time % SLOT_MS,
      visitor: it.visitor === null ? null : String(it.visitor),
      firsts,
      first_slot: it.visitor === null ? null : firstSlots.get(scope),
      kind: KIND[it.kind],
      qr: it.trigger === 'qr',
      domain: it.domainNo,
    }
  })
}

/** Stores a world instead of the one before. */
export async function store(connection: StatisticsConnection, it: World): Promise<void> {
  await connection.run('DELETE FROM clicks')
  await connection.run('DELETE FROM daily')
  await connection.run('DELETE FROM ordered')
  for (const table of ROLLED_TABLES) await connection.run(`DELETE FROM ${table}`)
  const rows = marked(it.clicks)
  if (rows.length > 0) {
    await connection.run(`INSERT INTO clicks BY NAME ${storedSql(`(${fromJson('clicks')})`)}`, [
      JSON.stringify(rows),
    ])
  }
  if (it.purged.length > 0) {
    await connection.run(`INSERT INTO daily BY NAME ${fromJson('daily')}`, [
      JSON.stringify(it.purged),
    ])
  }
  if (it.settled.length > 0) await settle(connection, it.settled)
  for (const block of it.rolled) {
    const one = { ...block, workspace: 1, hot: it.hot }
    await beginRollUp(connection, one)
    for (const part of PARTS) await addPart(connection, one, part, it.values)
    await finishRollUp(connection, one)
  }
}

async function settle(connection: StatisticsConnection, settled: readonly number[]): Promise<void> {
  const days = `slot // ${SLOTS_PER_DAY} IN (${settled.join(', ')})`
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE still AS ${steadySql(`(SELECT * FROM clicks WHERE ${days})`)}`,
  )
  await connection.run(`DELETE FROM clicks WHERE ${days}`)
  await connection.run(`INSERT INTO clicks BY NAME ${storedSql('still')}`)
  // Some had fewer clicks when they were put in order than they have now.
  await connection.run(`INSERT INTO ordered
    SELECT 'day', day, clicks // (1 + day % 2)
    FROM (SELECT slot // ${SLOTS_PER_DAY} AS day, count(*) AS clicks FROM still GROUP BY 1)`)
}

const TYPES = {
  clicks: Object.fromEntries(CLICK_COLUMNS.map((name) => [name, 'VARCHAR'])),
  daily: {
    link: 'BIGINT',
    day: 'INTEGER',
    kind: 'UTINYINT',
    clicks: 'BIGINT',
    uniques: 'BIGINT',
    workspace_uniques: 'BIGINT',
  },
}

function fromJson(table: keyof typeof TYPES): string {
  return `SELECT unnest(from_json(?, '[${JSON.stringify(TYPES[table])}]'), recursive := true)`
}
