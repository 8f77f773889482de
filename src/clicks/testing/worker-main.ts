import { systemClock } from '../../lib/base/clock.ts'
import { createClickCounter } from '../counting.ts'
import { journalDirectory } from '../segments.ts'
import { openSqliteCounters } from '../sqlite-counters.ts'
import { runWorker } from '../workers/index.ts'

/** The click worker as a process, for tests: `bun worker-main.ts DATA_DIR [IDLE_MS [NICENESS]]`. */
const [, , dataDir = '', idleMs = '15000', niceness = '0'] = process.argv
const counter = createClickCounter({
  directory: journalDirectory(dataDir),
  store: openSqliteCounters(dataDir),
  clock: systemClock,
})
const times = { idleMs: Number(idleMs), leastGapMs: 100, retryMs: 1_000 }
await runWorker(counter, { ...times, niceness: Number(niceness) })
