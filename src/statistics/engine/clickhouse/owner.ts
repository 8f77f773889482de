import { assertOwned, type Instance } from '../../../platform/storage/index.ts'
import type { ClickHouse } from './client.ts'
import { missingIn, UNKNOWN_DATABASE } from './migrate.ts'

const LINKS = 'the database in DATABASE_URL'
/** A start doesn't wait longer: the statistics process checks it again before it stores anything. */
const WITHIN_MS = 5_000

/**
 * Checks that the clicks, if there are any, belong to the instance of the links, and are of no newer
 * version. Makes no tables.
 * @param instance null: its database is empty
 * @throws OperatorError; ClickHouseError
 */
export async function assertOwnClicks(
  clickHouse: ClickHouse,
  instance: Instance | null,
): Promise<void> {
  const signal = () => AbortSignal.timeout(WITHIN_MS)
  const tables = await clickHouse
    .rows('SELECT name FROM system.tables WHERE database = currentDatabase()', [], signal())
    .catch((error) => {
      if ((error as { code?: unknown }).code === UNKNOWN_DATABASE) return []
      throw error
    })
  const has = (name: string) => tables.flat().includes(name)
  if (!has('clicks')) return
  if (has('migrations')) await missingIn(clickHouse, undefined, signal())
  const ids = has('instance') ? await clickHouse.rows('SELECT id FROM instance', [], signal()) : []
  const [click] = await clickHouse.rows('SELECT 1 FROM clicks LIMIT 1', [], signal())
  const found = { name: 'ClickHouse', isEmpty: click === undefined }
  const own = instance ?? { id: null, isNew: true }
  // Each replica may have the id, if its table is not replicated.
  for (const owner of ids.length === 0 ? [null] : ids.flat().map(String)) {
    assertOwned({ ...found, owner }, own, LINKS)
  }
}

/** The same; then writes there which instance they belong to. The tables exist. */
export async function ownClicks(clickHouse: ClickHouse, instance: Instance): Promise<void> {
  await assertOwnClicks(clickHouse, instance)
  if (instance.id === null) return
  const [known] = await clickHouse.rows('SELECT 1 FROM instance LIMIT 1')
  if (known !== undefined) return
  const row = `${JSON.stringify([instance.id])}\n`
  await clickHouse.insert('instance', ['id'], 'JSONCompactEachRow', [row], { async_insert: 0 })
}

/** The newest link of each workspace that has clicks. @throws ClickHouseError */
export async function newestLinks(clickHouse: ClickHouse): Promise<[number, number][]> {
  const rows = await clickHouse.rows(
    'SELECT workspace, max(link) FROM clicks GROUP BY workspace',
    [],
    AbortSignal.timeout(2 * WITHIN_MS),
  )
  return rows.map(([workspace, link]) => [Number(workspace), Number(link)])
}
