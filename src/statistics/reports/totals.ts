import type { BotsMode, Counts, Selection } from '../types.ts'
import type { Asking } from './lane.ts'
import { planUnique } from './plan.ts'
import { purgedClicks } from './purged.ts'
import { daysIn, findRolled, outside, rolledTotals } from './rolled.ts'
import {
  ALL,
  BOTS,
  type Deciding,
  decidedVisitors,
  firstFits,
  fitting,
  undecided,
} from './source.ts'
import { join, raw, sql } from './sql.ts'
import { differentVisitors } from './visitors.ts'

/** All clicks, bots among them, and visitors of those that count: what the queries give. */
export interface Sums {
  all: number
  bots: number
  unique: number
}

/** As reports say it. */
export function countsOf({ all, bots, unique }: Sums, mode: BotsMode): Counts {
  const clicks = mode === 'exclude' ? all - bots : mode === 'only' ? bots : all
  return { clicks, unique, bots }
}

export async function totals(asking: Asking, selection: Selection): Promise<Counts> {
  const plan = planUnique(selection)
  const sameAnswer = plan.byTime ? join(firstFits(selection), ' AND ', 'TRUE') : null
  const deciding: Deciding = { plan, selection, sameAnswer }
  const rolled = await findRolled(asking, selection)
  const where = sql`${fitting(selection)} AND ${outside(rolled)}`
  const sums: Sums = { all: 0, bots: 0, unique: 0 }
  const add = (rows: unknown[][]) => {
    for (const [all, bots, unique] of rows) {
      sums.all += Number(all)
      sums.bots += Number(bots)
      sums.unique += Number(unique)
    }
  }
  add(
    await asking.rows(
      sql`SELECT ${raw(ALL)}, ${raw(BOTS)}, ${decidedVisitors(deciding)} FROM clicks WHERE ${where}`,
    ),
  )
  if (rolled !== null) add(await asking.rows(rolledTotals(rolled, selection.bots)))
  const others = undecided(deciding)
  if (others !== null) {
    const which = sql`${where} AND ${others}`
    for (const { visitors } of await differentVisitors(asking, selection, {
      which,
      without: daysIn(rolled),
    })) {
      sums.unique += visitors
    }
  }
  const purged = purgedClicks(selection, null)
  if (purged !== null) {
    add(await asking.rows(sql`SELECT sum(clicks), sum(bots), sum(uniques) FROM (${purged})`))
  }
  return countsOf(sums, selection.bots)
}
