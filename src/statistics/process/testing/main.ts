import { createEnricher } from '../../enrich/index.ts'
import { runStatistics } from '../run.ts'
import { openOwnStore } from '../store.ts'
import { createTestReports } from './reports.ts'

/**
 * The statistics process with the reports of a test: `bun main.ts DATA_DIR [IDLE_MS [FREE_BYTES]]`.
 * With so many free bytes in its file it makes it smaller.
 */
const [, , dataDir = '', idleMs = '60000', freeBytes] = process.argv
const compaction = freeBytes === undefined ? {} : { compaction: { least: Number(freeBytes) } }
const enricher = createEnricher({ geoipDatabase: null })
await runStatistics({
  dataDir,
  idleMs: Number(idleMs),
  open: (clock) =>
    openOwnStore(dataDir, {
      clock,
      enrich: enricher.enrich,
      createReports: createTestReports,
      ...compaction,
    }),
})
