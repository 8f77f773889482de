import { existsSync } from 'node:fs'
import { createEnricher } from '../../../clicks/enrich/index.ts'
import { systemClock } from '../../../lib/base/clock.ts'
import { DUCKDB_MIGRATIONS } from '../../engine/duckdb/schema.ts'
import { openOwnStore } from '../../engine/duckdb/store.ts'
import { runStatistics } from '../run.ts'

/**
 * The statistics process of a test: `bun main.ts DATA_DIR [IDLE_MS [HOLD]]`. With `HOLD` it is of a next
 * version, with a migration in parts that ends once there is such a file.
 */
const [, , dataDir = '', idleMs = '60000', hold] = process.argv
const held: (typeof DUCKDB_MIGRATIONS)[number] = {
  version: (DUCKDB_MIGRATIONS.at(-1)?.version ?? 0) + 1,
  async up(connection) {
    await connection.run('CREATE TABLE IF NOT EXISTS parts (part BIGINT)')
    await connection.run(`INSERT INTO parts VALUES (${Date.now()})`)
    await Bun.sleep(10)
    return !existsSync(hold ?? '')
  },
}
const enricher = createEnricher({ geoipDatabase: null })
await runStatistics({
  dataDir,
  idleMs: Number(idleMs),
  open: (began) =>
    openOwnStore(dataDir, {
      clock: systemClock,
      enrich: enricher.enrich,
      migration: { began, ...(hold !== undefined && { migrations: [...DUCKDB_MIGRATIONS, held] }) },
    }),
})
