/**
 * What four nodes must do exactly, as one would: one winner of a slug, one effect a key, as many visitors
 * as a link may have, and no more requests than a plan allows.
 * Usage: bin/bun bench/cluster-exact.ts [--rounds 100] [--at 200] [--keys 1000] [--kills 4] [--window 6]
 */
import { parseArgs } from 'node:util'
import { startCluster } from '../test/harness/cluster.ts'
import { crowd, offer, raceForSlugs, repeat, type Tally } from '../test/harness/exact-run.ts'
import { writePlans } from '../test/harness/plans.ts'
import { machine } from './lib/machine.ts'
import './lib/temporary.ts'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    at: { type: 'string', default: '200' },
    keys: { type: 'string', default: '1000' },
    kills: { type: 'string', default: '4' },
    window: { type: 'string', default: '6' },
  },
})
const WINDOWS = 5
/** The interval of the burst in seconds. */
const window = Number(values.window)
const perMinute = 600
const burst = (perMinute / 60) * window
const plans = { unlimited: {}, strict: { requests_per_minute: perMinute, burst } }
const cluster = await startCluster({
  env: { LOG_LEVEL: 'error', SLUGLINE_PLANS: writePlans(plans) },
})
try {
  const [first] = cluster.nodes
  const strict = { workspace: 'strict', plan: 'strict' }
  const key = (await first?.createKey(strict))?.key as string

  const limit = await offer(
    cluster,
    { key, perMinute, burst },
    { times: 10, seconds: WINDOWS * window },
  )
  const at = Number(values.at)
  const races = await raceForSlugs(cluster, Number(values.rounds), at)
  const isRight = (tally: Tally) =>
    tally.size === 2 && tally.get('201') === 1 && tally.get('409 SLUG_TAKEN') === at - 1
  const people = await crowd(cluster, 100, 500)
  const repeated = await repeat(cluster, {
    keys: Number(values.keys),
    retries: 5,
    kills: Number(values.kills),
  })
  console.log(machine())
  console.table({
    [`ten times the rate, ${WINDOWS} windows of ${window} s`]: {
      found:
        `${limit.admitted} of ${limit.offered} admitted, the bound is ${limit.bound.toFixed(1)}: ` +
        `${(limit.admitted / limit.bound).toFixed(3)} ×; of the sustained rate ` +
        `${((limit.admitted - burst) / limit.sustained).toFixed(3)} ×`,
      right: limit.admitted <= 1.01 * limit.bound,
    },
    [`one slug, ${at} at once`]: {
      found: `${races.filter(isRight).length} of ${races.length} rounds had one 201 and ${at - 1} × 409`,
      right: races.every(isRight),
    },
    'max_clicks 100, 500 people': {
      found: `${people.get('302')} × 302, ${people.get('410')} × 410`,
      right: people.get('302') === 100 && people.get('410') === 400,
    },
    [`${repeated.keys} idempotency keys × 5, ${repeated.kills} nodes killed`]: {
      found: `${repeated.links} links, ${repeated.differing} keys with answers that differ`,
      right: repeated.links === repeated.keys && repeated.differing === 0,
    },
  })
} finally {
  await cluster.dispose()
}
