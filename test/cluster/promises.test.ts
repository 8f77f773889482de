// Guarantees of several nodes as of a single one: exact numbers, and every click once, whatever is
// killed. Long runs: bench/cluster-exact.ts and bench/cluster-kill.ts.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { startCluster, type TestCluster } from '../harness/cluster.ts'
import { clusterKillRun } from '../harness/cluster-kill-run.ts'
import { crowd, raceForSlugs, repeat } from '../harness/exact-run.ts'
import { postgresMissing } from '../harness/postgres.ts'
import { redisMissing } from '../harness/redis.ts'

const missing = postgresMissing ?? redisMissing
const title = `promises of several nodes${missing === undefined ? '' : ` (${missing})`}`
const BROWSER =
  'User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36\r\n'

describe.skipIf(missing !== undefined)(title, () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await startCluster({ nodes: 3, clicks: 'postgres' })
  })
  afterAll(() => cluster?.dispose())

  test('a slug, in four spellings, has one winner', async () => {
    for (const tally of await raceForSlugs(cluster, 5, 60)) {
      expect(Object.fromEntries(tally)).toEqual({ 201: 1, '409 SLUG_TAKEN': 59 })
    }
  })

  test('max_clicks redirects exactly as many people, with bots and HEAD among them', async () => {
    expect(Object.fromEntries(await crowd(cluster, 20, 90))).toEqual({ 302: 20, 410: 70 })
  })

  test('a key has one effect and one answer, though connections drop and a node is killed', async () => {
    const { links, differing } = await repeat(cluster, { keys: 60, retries: 4, kills: 1 })
    expect({ links, differing }).toEqual({ links: 60, differing: 0 })
  })

  test('an answered click is stored once, whatever is killed', async () => {
    const { surplus, inFlight, ...run } = await clusterKillRun(cluster, {
      clicks: 6_000,
      links: 20,
      connections: 8,
      kills: ['node', 'statistics', 'click-worker', 'postgres'],
      headers: () => BROWSER,
    })
    const { answeredMissing, storedTwice, wrong, countersDiffer } = run
    expect({ answeredMissing, storedTwice, wrong, countersDiffer }).toEqual({
      answeredMissing: 0,
      storedTwice: 0,
      wrong: 0,
      countersDiffer: 0,
    })
    expect(surplus).toBeLessThanOrEqual(inFlight)
  })
})
