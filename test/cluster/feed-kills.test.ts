/** bench/events-campaign.ts has more changes and kills. */
import { expect, test } from 'bun:test'
import { startCluster } from '../harness/cluster.ts'
import { eventsRun } from '../harness/events-run.ts'
import { postgresMissing } from '../harness/postgres.ts'
import { redisMissing } from '../harness/redis.ts'

const isMissing = (postgresMissing ?? redisMissing) !== undefined

test.skipIf(isMissing)(
  'readers of the feed have every change once, in order, whatever is killed meanwhile',
  async () => {
    const cluster = await startCluster({ env: { LOG_LEVEL: 'error' } })
    try {
      const run = await eventsRun(cluster, {
        changes: 3_000,
        single: 0.05,
        kills: ['stream', 'node', 'page', 'redis', 'postgres', 'stream', 'node', 'page'],
      })
      expect(run).toMatchObject({ storedTwice: 0, storedMissing: 0 })
      for (const reader of Object.values(run.readers)) {
        expect(reader).toMatchObject({
          ...{ events: run.stored, kills: 2, twice: 0, missing: 0, disordered: 0 },
        })
      }
    } finally {
      await cluster.dispose()
    }
  },
  600_000,
)
