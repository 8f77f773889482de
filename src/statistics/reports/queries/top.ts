import { CONSTANT } from '../../store/rollups.ts'
import { KIND_NAMES } from '../../store/schema.ts'
import type { Counts, Dimension, Selection } from '../../types.ts'
import type { Asking } from '../lane/index.ts'
import {
  canList,
  findRest,
  findRolled,
  outside,
  type Rolled,
  rolledTop,
  within,
} from '../rolled/index.ts'
import { rolledRest } from '../rolled/rest.ts'
import { integer, join, raw, type Sql, sql } from '../sql/index.ts'
import { planUnique, type UniquePlan } from '../sql/plan.ts'
import { purgedClicks } from '../sql/purged.ts'
import {
  ALL,
  BOTS,
  type Deciding,
  decidedVisitors,
  firstFits,
  firstWith,
  fitting,
  sameValue,
  undecided,
} from '../sql/source.ts'
import { fits, valueFrom, valueIn } from '../sql/where.ts'
import { countsOf, type Sums } from '../totals.ts'
import { findLeftOut, type LeftOut, leftOut } from './left-out.ts'
import { type Counted, differentVisitors } from './visitors.ts'

type Value = string | number | null

interface List {
  values: (Counts & { value: Value })[]
  other: Counts
}

/** The values of a dimension with the most clicks, and the others together. */
export async function top(
  asking: Asking,
  asked: Selection,
  dimension: Dimension,
  limit: number,
): Promise<List> {
  const less = await findLeftOut(asking, asked, dimension)
  const selection = less?.all ?? asked
  const rolled = await findRolled(asking, selection, canList(dimension, selection, limit))
  const wish = { asked, less, dimension, limit }
  const list = await listOf(asking, wish, rolled)
  // Of single clicks, nothing is missing.
  return list ?? ((await listOf(asking, wish, null)) as List)
}

interface Wish {
  asked: Selection
  less: LeftOut | null
  dimension: Dimension
  limit: number
}

/** Null: a value may be among the first that isn't, or not with all its clicks, in what is rolled up. */
async function listOf(
  asking: Asking,
  { asked, less, dimension, limit }: Wish,
  rolled: Rolled | null,
): Promise<List | null> {
  const selection = less?.all ?? asked
  const { offsets, bots: mode } = selection
  const value = valueIn(dimension, offsets)
  const unlisted = rolled === null ? null : await findRest(asking, rolled, dimension)
  const where = sql`${fitting(selection)} AND ${outside(rolled)}`
  const each = deciding(selection, planUnique(selection, { group: dimension }), dimension)
  // Where a visitor has one value, those of all the others add up.
  const rest = CONSTANT.has(dimension)
    ? each
    : deciding(selection, planUnique(selection, { group: dimension, rest: true }), null)

  const purged = purgedClicks(asked, dimension)
  const old = purged === null ? [] : await asking.rows(sql`SELECT 1 FROM (${purged}) LIMIT 1`)
  const counted = sql`SELECT ${value} AS value, ${raw(ALL)} AS n, ${raw(BOTS)} AS bots,
    ${decidedVisitors(each)} AS own, ${decidedVisitors(rest)} AS others, 0 AS known
    FROM clicks WHERE ${where} GROUP BY 1`
  const sources = [counted]
  if (rolled !== null) sources.push(rolledTop(rolled, selection, dimension, unlisted))
  if (purged !== null && old.length > 0) {
    sources.push(
      sql`SELECT value, clicks AS n, bots, uniques AS own, uniques AS others, 0 AS known
        FROM (${purged})`,
    )
  }
  if (less !== null) {
    sources.push(
      sql`SELECT value, -n AS n, -bots AS bots, -visitors AS own, -visitors AS others, 0 AS known
        FROM (${leftOut(asked, less, value)})`,
    )
  }
  // Sums of DOUBLE are exact below 2^53, and quicker than those of BIGINT, which have 128 bits.
  const parts = sources.map(
    (source) => sql`SELECT value, n::DOUBLE AS n, bots::DOUBLE AS bots, own::DOUBLE AS own,
      others::DOUBLE AS others, known::DOUBLE AS known FROM (${source})`,
  )
  const all =
    sources.length === 1
      ? counted
      : sql`SELECT value, sum(n) AS n, sum(bots) AS bots, sum(own) AS own, sum(others) AS others,
            sum(known) AS known
          FROM (${join(parts, ' UNION ALL ')}) GROUP BY 1`
  const clicks = { exclude: 'n - bots', include: 'n', only: 'bots' }[mode]
  // With what a value may have besides: those of which that isn't known come first. One that is left out
  // has no clicks, but takes its visitors away from those that are told apart below.
  const most = unlisted?.most ?? 0
  const rows = await asking.rows(
    sql`WITH counted AS MATERIALIZED (${all})
      SELECT * FROM (
        SELECT value, n, bots, own, others, 1 AS listed, known FROM counted WHERE n <> 0
        ORDER BY ${raw(`${clicks} - known`)} DESC, known, ${order(dimension)}
        LIMIT ${integer(limit)})
      UNION ALL SELECT NULL, sum(n), sum(bots), count_if(n <> 0), sum(others), 0, ${integer(most)}
        FROM counted`,
  )
  if (rows.some((row) => Number(row[6]) < most)) return null

  const listed = new Map<Value, Sums>()
  const other: Sums = { all: unlisted?.all ?? 0, bots: unlisted?.bots ?? 0, unique: 0 }
  let kinds = 0
  for (const [stored, n, bots, unique, inRest, isListed] of rows) {
    const sign = isListed === 1 ? -1 : 1
    other.all += sign * Number(n)
    other.bots += sign * Number(bots)
    other.unique += sign * Number(inRest)
    if (isListed === 1) {
      const sums = { all: Number(n), bots: Number(bots), unique: Number(unique) }
      listed.set(valueFrom(dimension, stored), sums)
    } else kinds = Number(unique)
  }
  // One that isn't known at all may have as many.
  if (unlisted !== null) {
    kinds = Number.POSITIVE_INFINITY
    const fewest = Math.min(...[...listed.values()].map((sums) => countsOf(sums, mode).clicks))
    if (listed.size < limit || fewest <= most) return null
  }

  const values = [...listed.keys()]
  const among = (exclude: boolean) => fits({ dimension, values, exclude }, offsets)
  const left = undecidedOnes(
    listed.size > 0 ? undecided(each) : null,
    kinds > listed.size ? undecided(rest) : null,
  )
  for (const counted of left) {
    for (const found of await differentVisitors(asking, counted)) {
      const isApart = counted.group !== undefined
      const sums = isApart ? listed.get(valueFrom(dimension, found.value)) : undefined
      ;(sums ?? other).unique += found.visitors
    }
  }
  if (rolled !== null && kinds > listed.size && !CONSTANT.has(dimension)) {
    const filter = { dimension, values, exclude: false }
    const { visitors, lost } = await rolledRest(asking, rolled, selection, filter)
    other.unique += visitors
    if (lost !== null) {
      const which = sql`${fitting(selection)} AND ${within(lost)} AND ${among(true)}`
      other.unique += await visitorsOf(asking, rest, which)
    }
  }
  return {
    values: [...listed].map(([name, sums]) => ({ value: name, ...countsOf(sums, mode) })),
    other: countsOf(other, mode),
  }

  /** Of listed values, each apart, and of all the others together. */
  function undecidedOnes(ofEach: Sql | null, ofRest: Sql | null): Counted[] {
    if (CONSTANT.has(dimension)) {
      return ofEach === null ? [] : [{ which: sql`${where} AND ${ofEach}`, group: value }]
    }
    // Two looks: in one, values would be looked up for all of them.
    const left: Counted[] = []
    if (ofEach !== null) {
      left.push({ which: sql`${where} AND ${ofEach} AND ${among(false)}`, group: value })
    }
    if (ofRest !== null) {
      const first = firstWith(selection, dimension)
      left.push({ which: sql`${where} AND ${ofRest} AND ${first} AND ${among(true)}` })
    }
    return left
  }
}

/** The visitors of some clicks together, whatever their values. */
async function visitorsOf(asking: Asking, it: Deciding, which: Sql): Promise<number> {
  const [row] = await asking.rows(sql`SELECT ${decidedVisitors(it)} FROM clicks WHERE ${which}`)
  let visitors = Number(row?.[0] ?? 0)
  const others = undecided(it)
  if (others === null) return visitors
  const left = sql`${which} AND ${others}`
  for (const found of await differentVisitors(asking, { which: left })) {
    visitors += found.visitors
  }
  return visitors
}

/** `group`: the dimension when each of its values is an answer. */
function deciding(selection: Selection, plan: UniquePlan, group: Dimension | null): Deciding {
  if (!plan.byTime) return { plan, selection, sameAnswer: null }
  const tests = firstFits(selection)
  if (group === 'hour' || group === 'weekday') {
    tests.push(sameValue((slot) => valueIn(group, selection.offsets, slot)))
  }
  return { plan, selection, sameAnswer: join(tests, ' AND ', 'TRUE') }
}

/** By value, as reports say it; clicks without one last. */
function order(dimension: Dimension): Sql {
  if (dimension === 'kind') {
    const names = KIND_NAMES.map((name, kind) => `WHEN ${kind} THEN '${name}'`)
    return raw(`CASE value ${names.join(' ')} END`)
  }
  return raw(dimension === 'trigger' ? 'value ASC' : 'value ASC NULLS LAST')
}
