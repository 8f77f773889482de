import { CLICK_COLUMNS, DAILY_COLUMNS } from '../../../columns.ts'
import { FIRST_DAY, type World } from '../../../reports/testing/world.ts'
import { rowOf } from '../../shared/rows.ts'
import { byKey, dailyRow } from '../../testing/purged.ts'
import type { ClickHouse } from '../client.ts'

/**
 * Stores a world instead of the one before. A day is counted by its clicks or by its totals, never
 * by both, so totals of the days that have clicks are left out.
 */
export async function store(clickHouse: ClickHouse, it: World): Promise<World> {
  const purged = byKey(it.purged).filter(({ day }) => day < FIRST_DAY)
  const add = async (table: string, columns: readonly string[], rows: readonly unknown[][]) => {
    if (rows.length === 0) return
    const lines = rows.map((row) => `${JSON.stringify(row)}\n`)
    await clickHouse.insert(table, columns, 'JSONCompactEachRow', lines)
  }
  for (const table of ['clicks', 'daily', 'purged', 'click_sums', 'summed_days']) {
    await clickHouse.command(`TRUNCATE TABLE ${table}`)
  }
  await add(
    'clicks',
    CLICK_COLUMNS,
    it.clicks.map((click) => rowOf(click)),
  )
  await add('daily', DAILY_COLUMNS, purged.map(dailyRow))
  await add(
    'purged',
    ['workspace', 'before'],
    [1, 2].map((workspace) => [workspace, FIRST_DAY]),
  )
  return { ...it, purged }
}
