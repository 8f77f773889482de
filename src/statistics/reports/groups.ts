import type { Members, Selection, TopValues } from '../types.ts'
import { countsByKey, groupingBy, topOf } from './counts.ts'
import { type Bind, createParameters, type QueryContext } from './dialect.ts'
import { NO_SUMS, type Plan } from './sums.ts'

/** Links that are in no group are joined with null, or 0 in ClickHouse. */
const KEY = 'nullIf(member, 0)'

/**
 * The groups of links with the most clicks; see `ClickReports.top`. Clicks are added up by link, and
 * visitors, which several links may share, counted of the listed groups only.
 * @param plan of a list of links
 */
export async function topGroups(
  context: QueryContext,
  selection: Selection,
  members: Members,
  limit: number,
  plan: Plan,
): Promise<TopValues> {
  const { dialect } = context
  const byLink = groupingBy(selection, 'link')
  const counts = (bind: Bind) => `SELECT ${KEY} AS k, sum(l.c) AS c, 0 AS u, sum(l.b) AS b
    FROM (${countsByKey(dialect, bind, selection, byLink, plan)}) l
    LEFT JOIN ${dialect.members(members, bind)} g ON g.of_link = l.k GROUP BY 1`
  const listed = await topOf(context, selection, { counts, order: 'k', limit }, plan)
  if (listed === null) return topGroups(context, selection, members, limit, NO_SUMS)
  const numbers = listed.values.map(({ value }) => Number(value ?? 0))
  const unique = await visitorsOf(context, selection, members, numbers)
  return {
    values: listed.values.map((row, i) => ({
      ...row,
      value: row.value === null ? null : (members.values[Number(row.value) - 1] ?? null),
      unique: unique.get(numbers[i] ?? 0) ?? 0,
    })),
    other: listed.other,
  }
}

/** The unique visitors of some groups, by their number; 0: of links that are in none. */
async function visitorsOf(
  { dialect, query }: QueryContext,
  selection: Selection,
  members: Members,
  only: readonly number[],
): Promise<Map<number, number>> {
  if (only.length === 0) return new Map()
  const { bind, values } = createParameters(dialect)
  const grouping = { key: () => KEY, cuts: [], members, only }
  const rows = await query(countsByKey(dialect, bind, selection, grouping, NO_SUMS), values)
  return new Map(rows.map(([key, , unique]) => [Number(key ?? 0), Number(unique)]))
}
