import { sql } from 'kysely'
import type { Storage } from '../../../../platform/storage/index.ts'
import type { World } from '../../../reports/testing/world.ts'
import { byKey, dailyRow } from '../../testing/purged.ts'
import { insertClicks } from '../shipping.ts'

/** Stores a world instead of the one before. */
export async function store(storage: Pick<Storage, 'write'>, it: World): Promise<World> {
  const purged = byKey(it.purged)
  await storage.write(async ({ db }) => {
    await sql`DELETE FROM clicks`.execute(db)
    await sql`DELETE FROM daily`.execute(db)
    await sql`DELETE FROM click_sums`.execute(db)
    await sql`DELETE FROM summed_days`.execute(db)
    await insertClicks(it.clicks).execute(db)
    for (const row of purged) {
      await sql`INSERT INTO daily VALUES (${sql.join(dailyRow(row))})`.execute(db)
    }
  })
  return { ...it, purged }
}
