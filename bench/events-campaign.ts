/**
 * Changes on four nodes while nodes, Redis, PostgreSQL and the readers of the feed of events are killed:
 * both readers, one by page and one by stream, have every committed change once, in order, without a gap.
 * Usage: bin/bun bench/events-campaign.ts [--changes 100000] [--kills 60] [--single 0.02]: the part of
 *   the changes that have requests of their own
 */
import { parseArgs } from 'node:util'
import { startCluster } from '../test/harness/cluster.ts'
import { type EventsVictim, eventsRun } from '../test/harness/events-run.ts'
import { machine } from './lib/machine.ts'
import './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    changes: { type: 'string', default: '100000' },
    kills: { type: 'string', default: '60' },
    single: { type: 'string', default: '0.02' },
  },
})
const changes = Number(values.changes)

/** Of ten kills three of nodes, two of each reader, two of Redis, and one of PostgreSQL; shuffled. */
const OF_TEN: readonly EventsVictim[] = [
  ...(['node', 'page', 'redis', 'stream', 'node'] as const),
  ...(['postgres', 'page', 'node', 'stream', 'redis'] as const),
]
const kills = Array.from(
  { length: Number(values.kills) },
  (_, i) => OF_TEN[i % OF_TEN.length] as EventsVictim,
).sort(() => Math.random() - 0.5)

const cluster = await startCluster({ env: { LOG_LEVEL: 'error' } })
let shown = 0
try {
  const run = await eventsRun(cluster, {
    changes,
    single: Number(values.single),
    kills,
    progress(answered) {
      if (answered - shown < changes / 20) return
      shown = answered
      console.error(`${answered} changes`)
    },
  })
  const { readers, kills: killed, ...figures } = run
  console.log(machine())
  console.table({ ...figures, seconds: figures.seconds.toFixed(1) })
  console.table({ kills: killed })
  console.table(readers)
  const wrong = [readers.page, readers.stream].flatMap(({ twice, missing, disordered }) => [
    ...[twice, missing, disordered],
  ])
  const isKept = [...wrong, run.storedTwice, run.storedMissing].every((count) => count === 0)
  console.log(isKept ? 'Every change is in the feed, once, in order.' : 'NOT AS PROMISED')
  process.exitCode = isKept ? 0 : 1
} finally {
  await cluster.dispose()
}
