import fc from 'fast-check'
import { SEQS_PER_WORKSPACE } from '../../../platform/storage/index.ts'
import { parameterOf } from '../../filters.ts'
import { DAY_MS, zoneOffsets } from '../../intervals.ts'
import type { ClickKind, ClickReports, Dimension, Selection, StoredClick } from '../../types.ts'
import type { Everything, PurgedDay } from './naive.ts'

/** The counts of a whole selection. */
export async function totalsOf(reports: Pick<ClickReports, 'series'>, selection: Selection) {
  return (await reports.series(selection, [selection.from, selection.to])).totals
}

/** Two days before clocks change in Berlin, and a week before they do in New South Wales. */
export const FIRST_DAY = Date.parse('2026-03-27T00:00:00Z') / DAY_MS
const DAYS = 10
const QUARTER_MS = 900_000
const QUARTERS_PER_DAY = DAY_MS / QUARTER_MS
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

/** The clicks that a property is tested with. */
export type World = Everything

const some = <T>(...values: T[]) => fc.constantFrom<(T | null)[]>(...values, null)

/** What does not change about a visitor all day. */
const visitor = fc.record({
  country: some('DE', 'US'),
  region: some('DE-BE'),
  city: some('Berlin', 'Köln'),
  device: some('mobile', 'desktop'),
  browser: some('Firefox', 'Chrome'),
  os: some('Android', 'Ünix'),
  tracked: fc.boolean(),
})

const moment = fc.oneof(
  fc.nat(DAY_MS - 1),
  // Some on the quarters of an hour, just before them, and at the same time.
  fc.nat(QUARTERS_PER_DAY - 1).map((quarter) => quarter * QUARTER_MS),
  fc.integer({ min: 1, max: QUARTERS_PER_DAY }).map((quarter) => quarter * QUARTER_MS - 1),
)

const click = fc.record({
  linkSeq: fc.constantFrom(...LINKS, STRANGER),
  day: fc.oneof(fc.nat(2), fc.nat(DAYS - 1)),
  moment,
  who: fc.nat(2),
  kind: fc.constantFrom<ClickKind[]>('human', 'human', 'human', 'bot', 'preview'),
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
  rule: some('ios', 'IOS'),
  variant: some('a', 'b', 'c'),
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
    purged: fc.oneof(fc.constant([]), fc.array(purged, { maxLength: 5, size: 'max' })),
  })
  .map(({ visitors, made, ...rest }) => {
    const clicks = made
      .map(({ day, moment: at, who, ...values }): StoredClick => {
        const { tracked, ...same } = (visitors[day] as (typeof visitors)[0])[
          who
        ] as (typeof visitors)[0][0]
        // One visitor has the same number every day, and counts once a day.
        const number = BigInt(1 + (who === 0 ? 0 : day * 10 + who)) * 0x9e3779b97f4a7c15n
        const own = values.kind === 'human' ? number : number ^ 0xffffn
        return {
          ...values,
          ...same,
          time: (FIRST_DAY + day) * DAY_MS + at,
          n: 0,
          visitor: tracked ? BigInt.asUintN(64, own) : null,
        }
      })
      .sort((a, b) => a.time - b.time)
    clicks.forEach((it, i) => {
      const before = clicks[i - 1]
      if (before?.time === it.time) it.n = before.n + 1
    })
    return { ...rest, clicks }
  })

const VALUES: Readonly<Record<Dimension, readonly (string | number | null)[]>> = {
  country: ['DE', 'US', 'FR', null],
  region: ['DE-BE', null],
  city: ['Berlin', 'köln', null],
  language: ['de', 'zh-Hant', null],
  referrer: ['a.example', 'b.example', null],
  referrer_path: ['/', '/x', null],
  device: ['mobile', 'desktop', null],
  browser: ['Firefox', 'Chrome', null],
  os: ['ANDROID', 'Ünix', null],
  utm_source: ['S', "'; --", null],
  utm_medium: ['m', null],
  utm_campaign: ['c', 'd', null],
  utm_term: ['t', null],
  utm_content: ['=1', 'a,"b"', null],
  rule: ['ios', 'IOS', null],
  variant: ['a', 'b', null],
  trigger: ['click', 'qr', 'nothing'],
  kind: ['human', 'bot', 'preview'],
  hour: [0, 2, 5, 12, 23],
  weekday: [1, 5, 6, 7],
  domain: [0, 1, 7],
  link: [...LINKS, STRANGER],
}

const DIMENSIONS = Object.keys(VALUES) as Dimension[]
const whole = fc.constantFrom(...DIMENSIONS).chain((dimension) =>
  fc.record({
    dimension: fc.constant(dimension),
    match: fc.constantFrom('is' as const, 'not' as const),
    values: fc.subarray([...VALUES[dimension]], { minLength: 1 }),
  }),
)
/** They mean something in patterns of SQL. */
const SIGNS = ['%', '_', '=']
const parts = fc
  .constantFrom(...DIMENSIONS.filter((dimension) => parameterOf(dimension, 'contains') !== null))
  .chain((dimension) => {
    const texts = VALUES[dimension].filter((value) => typeof value === 'string')
    const some = texts.flatMap((text) => [text.slice(1).toUpperCase(), text.slice(0, 2), text])
    return fc.record({
      dimension: fc.constant(dimension),
      match: fc.constant('contains' as const),
      values: fc.subarray([...SIGNS, ...some.filter(Boolean)], { minLength: 1, maxLength: 3 }),
    })
  })
const filter = fc.oneof({ weight: 2, arbitrary: whole }, { weight: 1, arbitrary: parts })

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
    except: fc.oneof(
      { weight: 4, arbitrary: fc.constant([]) },
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
  .map(({ ends, zone, except, ...asked }) => {
    const rest = { ...asked, ...(except.length > 0 && { exceptSeqs: except }) }
    const from = Math.min(...ends)
    const to = Math.max(...ends, from + 1)
    return {
      zone,
      selection: { ...rest, from, to, workspaceNo: 1, offsets: zoneOffsets(zone, from, to) },
    }
  })
