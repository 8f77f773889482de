import { expect, test } from 'bun:test'
import type { ClusterState } from '../../platform/cluster/index.ts'
import type { ResolverState } from '../../redirect/index.ts'
import { linksCheck, redisCheck, sharedStorageCheck } from './checks.ts'

const STATE: ResolverState = {
  entries: 1,
  bytes: 0,
  hits: 0,
  misses: 0,
  stale: 0,
  refused: 0,
  changes: 0,
  losses: 0,
  databaseDown: false,
  knownAt: 0,
  edits: 0,
  filled: 'all',
}
const writable = { probe: async () => {} }
const gone = { probe: () => Promise.reject(new Error('gone')) }
const memory = (entries: number, databaseDown = false) => ({
  state: () => ({ ...STATE, entries, databaseDown }),
})

test('a node with links in memory stays in service without its database', async () => {
  const ask = async (...check: Parameters<typeof sharedStorageCheck>) =>
    sharedStorageCheck(...check).check()
  expect(await ask(writable, memory(0))).toEqual({ status: 'ok' })
  expect(await ask(gone, memory(5))).toEqual({ status: 'degraded', reason: 'away' })
  expect(await ask(gone, memory(0))).toEqual({ status: 'failed', reason: 'away' })
  expect(await ask(writable, memory(5, true))).toEqual({ status: 'degraded', reason: 'away' })
})

test('a node without Redis is degraded, never unready', async () => {
  const ask = (up: boolean, subscribed: boolean) =>
    redisCheck({ state: () => ({ up, subscribed }) as ClusterState }).check()
  expect(await ask(true, true)).toEqual({ status: 'ok' })
  expect(await ask(false, false)).toEqual({ status: 'degraded', reason: 'away' })
  expect(await ask(true, false)).toEqual({ status: 'degraded', reason: 'deaf' })
})

test('a node reports that it lacks links for an outage or their changes, and that it refuses visits', async () => {
  let filled: 'none' | 'part' | 'all' = 'none'
  let refused = 0
  let now = 0
  let knownAt = 0
  const state = () => ({ ...STATE, refused, filled, knownAt })
  const { check } = linksCheck({ state }, { now: () => now })
  expect(check()).toEqual({ status: 'degraded', reason: 'unfilled' })
  filled = 'part'
  expect(check()).toEqual({ status: 'ok', reason: 'part' })
  filled = 'all'
  expect(check()).toEqual({ status: 'ok' })
  knownAt = -5_001
  expect(check()).toEqual({ status: 'degraded', reason: 'behind' })
  knownAt = 0
  refused = 1
  expect(check()).toEqual({ status: 'degraded', reason: 'refusing' })
  now += 9_999
  expect(check()).toEqual({ status: 'degraded', reason: 'refusing' })
  now += 1
  knownAt = now
  expect(check()).toEqual({ status: 'ok' })
})
