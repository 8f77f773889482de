import { createEnricher } from '../../../clicks/enrich/index.ts'
import { systemClock } from '../../../lib/base/clock.ts'
import { openOwnStore } from '../../engine/duckdb/store.ts'
import { runStatistics } from '../run.ts'

/** The statistics process of a test: `bun main.ts DATA_DIR [IDLE_MS]`. */
const [, , dataDir = '', idleMs = '60000'] = process.argv
const enricher = createEnricher({ geoipDatabase: null })
await runStatistics({
  dataDir,
  idleMs: Number(idleMs),
  open: () => openOwnStore(dataDir, { clock: systemClock, enrich: enricher.enrich }),
})
