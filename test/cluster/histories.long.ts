// Longer than histories.test.ts: every fault, twice.
import { expect, test } from 'bun:test'
import { startCluster } from '../harness/cluster.ts'
import { FAULTS, historyEnv, historyRun } from '../harness/history-run.ts'
import { postgresMissing } from '../harness/postgres.ts'
import { redisMissing } from '../harness/redis.ts'

/** `HISTORY_SEED`: what is asked for, and what fails. */
const SEED = Number(process.env.HISTORY_SEED ?? Date.now() % 1_000_000)
const isMissing = (postgresMissing ?? redisMissing) !== undefined

test.skipIf(isMissing)(
  'three nodes keep their promises through every fault',
  async () => {
    console.log(`HISTORY_SEED=${SEED}`)
    const cluster = await startCluster({ nodes: 3, env: historyEnv() })
    try {
      for (const seed of [SEED, SEED + 1]) {
        const { faults, ...counts } = await historyRun(cluster, { seed, faults: FAULTS })
        console.log(JSON.stringify(counts))
        expect(faults).toEqual([])
      }
    } finally {
      await cluster.dispose()
    }
  },
  1_200_000,
)
