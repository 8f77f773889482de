// Two nodes in separate networks whose connections to all servers are cut silently. Long runs of
// this and other faults: bench/cluster-outage.ts.
import { describe, expect, test } from 'bun:test'
import { startCluster } from '../harness/cluster.ts'
import { networksMissing } from '../harness/network.ts'
import { outageRun } from '../harness/outage-run.ts'
import { writePlans } from '../harness/plans.ts'
import { postgresMissing } from '../harness/postgres.ts'
import { redisMissing } from '../harness/redis.ts'

const missing = postgresMissing ?? redisMissing ?? networksMissing
const title = `a cut network${missing === undefined ? '' : ` (${missing})`}`

describe.skipIf(missing !== undefined)(title, () => {
  test('stops no redirect of a cached link, loses no click, leaves nothing half done', async () => {
    const strict = { requests_per_minute: 60, burst: 20 }
    const cluster = await startCluster({
      nodes: 2,
      clicks: 'postgres',
      networks: true,
      env: {
        SLUGLINE_PLANS: writePlans({ unlimited: {}, strict }),
        METRICS: 'public',
        LOG_LEVEL: 'silent',
      },
    })
    try {
      const limited = await cluster.nodes[0]?.createKey({ workspace: 'strict', plan: 'strict' })
      const run = await outageRun(cluster, {
        fault: 'cut',
        seconds: 5,
        perSecond: 50,
        settleMs: 1_000,
        limited: { key: limited?.key as string, perMinute: 60, burst: 20 },
      })
      const { notRedirected, doubled, gone, halfDone, notOnce, unanswered, otherAnswers } = run
      expect({ notRedirected, doubled, gone, halfDone, notOnce, unanswered, otherAnswers }).toEqual(
        {
          notRedirected: {},
          doubled: 0,
          gone: 0,
          halfDone: 0,
          notOnce: 0,
          unanswered: 0,
          otherAnswers: [],
        },
      )
      expect(run.refused).toBeGreaterThan(0)
      expect(run.counted).toBe(run.visits)
      expect([run.lost, run.stored]).toEqual([0, run.visits])
      // A failover and a recovery may add the shares of two nodes, and a burst.
      expect(run.admitted).toBeLessThanOrEqual(1.5 * run.bound + strict.burst)
    } finally {
      await cluster.dispose()
    }
  }, 600_000)
})
