import { systemClock } from '../../lib/base/clock.ts'
import { readNode } from '../../platform/cluster/node.ts'
import { openPostgres } from '../../platform/storage/index.ts'
import { createClickCounter } from '../counting.ts'
import { createPostgresCounters } from '../postgres-counters.ts'
import { journalDirectory } from '../segments.ts'
import { runWorker } from '../workers/index.ts'

/** A node's click worker as a process, for tests: `bun shared-worker-main.ts DATA_DIR URL [LIMITS]`. */
const [, , dataDir = '', url = '', limits = '{}'] = process.argv
const nodeNo = readNode(dataDir)?.no as number
const counter = createClickCounter({
  directory: journalDirectory(dataDir),
  store: createPostgresCounters({
    storage: await openPostgres({ url, poolSize: 2 }),
    nodeNo,
    limits: JSON.parse(limits),
  }),
  clock: systemClock,
})
await runWorker(counter, { idleMs: 15_000, leastGapMs: 100, retryMs: 1_000 })
