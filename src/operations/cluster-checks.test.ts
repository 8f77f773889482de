import { expect, test } from 'bun:test'
import { redisCheck, sharedStorageCheck } from './cluster-checks.ts'
import { createMetrics } from './metrics.ts'
import { watchCluster } from './watched-cluster.ts'

const writable = { probe: async () => {} }
const gone = { probe: () => Promise.reject(new Error('gone')) }
const memory = (entries: number, away = false) => ({
  state: () => ({ entries, away, heard: true }),
})

test('a node that remembers links stays in service without its database', async () => {
  const ask = async (...check: Parameters<typeof sharedStorageCheck>) =>
    sharedStorageCheck(...check).check()
  expect(await ask(writable, memory(0))).toEqual({ status: 'ok' })
  expect(await ask(gone, memory(5))).toEqual({ status: 'degraded', reason: 'away' })
  expect(await ask(gone, memory(0))).toEqual({ status: 'failed', reason: 'away' })
  expect(await ask(writable, memory(5, true))).toEqual({ status: 'degraded', reason: 'away' })
})

test('a node without Redis is degraded, never unready', async () => {
  const ask = (up: boolean, heard: boolean) => redisCheck({ state: () => ({ up, heard }) }).check()
  expect(await ask(true, true)).toEqual({ status: 'ok' })
  expect(await ask(false, false)).toEqual({ status: 'degraded', reason: 'away' })
  expect(await ask(true, false)).toEqual({ status: 'degraded', reason: 'deaf' })
})

test('what nodes share is among the metrics', async () => {
  const metrics = createMetrics('local')
  watchCluster(metrics, {
    resolver: {
      state: () => ({
        entries: 3,
        bytes: 900,
        hits: 7,
        misses: 2,
        stale: 1,
        changes: 4,
        losses: 1,
        away: true,
        heard: false,
      }),
    },
    cluster: {
      state: () => ({
        up: true,
        heard: false,
        lagMs: 250,
        received: 9,
        unsent: 0,
        nodes: 4,
        late: 2,
        alone: 5,
      }),
    },
  })
  const text = await metrics.render()
  for (const line of [
    'resolver_entries 3',
    'resolver_hits_total 7',
    'resolver_stale_total 1',
    'resolver_database_away 1',
    'redis_up 1',
    'bus_heard 0',
    'bus_lag_seconds 0.25',
    'nodes 4',
    'limits_alone_total 5',
  ]) {
    expect(text).toContain(`\nslugline_${line}\n`)
  }
})
