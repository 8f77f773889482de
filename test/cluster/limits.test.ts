// The limits of several nodes on one Redis: the same decisions as in one process, however many
// nodes ask, and never none.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { Secret } from '../../src/lib/base/secret.ts'
import { type Cluster, openCluster } from '../../src/platform/cluster/index.ts'
import { connectRedis } from '../../src/platform/cluster/redis.ts'
import { createScripts, type Scripts } from '../../src/platform/cluster/scripts.ts'
import { GCRA } from '../../src/platform/limits/gcra.ts'
import { type Decision, decide, type LimitState } from '../../src/platform/limits/index.ts'
import { decisionOf } from '../../src/platform/limits/shared.ts'
import { eventually } from '../harness/eventually.ts'
import { startProxy, type TestProxy } from '../harness/proxy.ts'
import { redisMissing, startRedis, type TestRedis } from '../harness/redis.ts'

const NODES = 4
/** Long, because the machine may be busy. */
const ANSWER_WITHIN_MS = 200
const suite = redisMissing === undefined ? describe : describe.skip
const QUIET = { info() {}, warn() {} }

suite(`limits of several nodes${redisMissing ? ` (${redisMissing})` : ''}`, () => {
  let redis: TestRedis
  let proxy: TestProxy
  let clusters: Cluster[]
  let name = 0
  /** Without production's deadline: these tests check decisions, not speed. */
  let patient: { scripts: Scripts; nodes(): Promise<number>; close(): void }
  beforeAll(async () => {
    redis = await startRedis()
    proxy = await startProxy(redis.port)
    clusters = Array.from({ length: NODES }, (_, i) =>
      openCluster({
        url: new Secret(i === 0 ? `redis://127.0.0.1:${proxy.port}` : redis.url),
        logger: QUIET,
        nodeId: `nod_${i}`,
        answerWithinMs: ANSWER_WITHIN_MS,
      }),
    )
    const connection = connectRedis({ url: new Secret(redis.url), logger: QUIET, name: 'test' })
    const scripts = createScripts(connection.redis, { prefix: '', withinMs: 30_000 })
    const nodes = () => connection.redis.zcard('slugline:nodes').catch(() => 0)
    patient = { scripts, nodes, close: connection.close }
    await eventually('it is connected', () => (scripts.available ? true : undefined))
  })
  afterAll(async () => {
    patient.close()
    await Promise.all(clusters.map((cluster) => cluster.close()))
    await proxy.close()
    await redis.dispose()
  })
  beforeEach(async () => {
    proxy.delay(0)
    redis.thaw()
    await redis.start()
    await allKnown()
  })

  async function allKnown(): Promise<void> {
    await eventually('all nodes know of each other', async () => {
      // A restarted Redis learns of the nodes one after the other, and returns how many so far.
      if ((await patient.nodes()) !== NODES) return undefined
      return clusters.every(({ state }) => state().up && state().nodes === NODES) ? true : undefined
    })
  }

  test('the script decides exactly like the function', async () => {
    const rates = fc.oneof(
      fc.integer({ min: 1, max: 100_000 }),
      fc.constantFrom(0.2, 0.5, 1 / 3, 7.7),
    )
    const policy = fc.record({ ratePerMinute: rates, burst: fc.integer({ min: 1, max: 200 }) })
    const step = fc.record({
      gap: fc.oneof(fc.constant(0), fc.integer({ min: -5_000, max: 120_000 })),
      cost: fc.constantFrom<1 | 0 | -1>(1, 1, 1, 1, 0, -1),
      repeat: fc.integer({ min: 1, max: 30 }),
      // A changed plan takes effect immediately.
      other: fc.boolean(),
    })
    const steps = fc.array(step, { minLength: 1, maxLength: 12 })
    await fc.assert(
      fc.asyncProperty(policy, policy, steps, async (one, two, all) => {
        const key = `law:{${++name}}`
        let now = 1_790_000_000_000
        let state: LimitState | undefined
        const expected: Decision[] = []
        const answers: Promise<unknown>[] = []
        for (const { gap, cost, repeat, other } of all) {
          const p = other ? two : one
          now += gap
          for (let i = 0; i < repeat; i++) {
            const decision = decide(state, p, now, cost)
            state = decision.state
            expected.push(decision)
            const args = [p.ratePerMinute, p.burst, cost, 0, now]
            answers.push(patient.scripts.run(GCRA, key, args))
          }
        }
        expect((await Promise.all(answers)).map(decisionOf)).toEqual(expected)
      }),
      { numRuns: 150 },
    )
  })

  test('requests allowed by another node are counted first', async () => {
    const limiter = (debt: number, key: string) =>
      patient.scripts.run(GCRA, key, [60, 10, 0, debt, 1_790_000_000_000])
    expect(decisionOf(await limiter(4, 'debt:{1}')).remaining).toBe(6)
    expect(decisionOf(await limiter(99, 'debt:{1}')).remaining).toBe(0)
    expect(decisionOf(await limiter(-3, 'debt:{1}')).remaining).toBe(3)
    expect(decisionOf(await limiter(-99, 'debt:{1}')).remaining).toBe(10)
  })

  const policy = { ratePerMinute: 12_000, burst: 100 }
  /** Five times the time to refill the burst, in milliseconds. */
  const SPAN = 5 * ((policy.burst / policy.ratePerMinute) * 60_000)

  /**
   * A node that falls back to its share at its own moment may allow one more request. On a busy
   * machine responses are repeatedly late even without a failure; their decisions are lost.
   */
  const most = (bound: number, unasked: number) =>
    bound * 1.01 + NODES + (unasked * policy.ratePerMinute * ANSWER_WITHIN_MS) / 60_000

  const lateSoFar = () => clusters.reduce((sum, { state }) => sum + state().late, 0)

  /** Sends requests through all nodes as fast as possible; how many were allowed, in what time. */
  async function storm(spanMs: number, meanwhile?: () => Promise<void>) {
    const lateBefore = lateSoFar()
    const key = `storm ${++name}`
    const limiters = clusters.map((cluster) => cluster.limiter('storm'))
    const begin = performance.now()
    let admitted = 0
    let offered = 0
    let heardAt = begin
    // A machine too busy to send requests loses refills of a full bucket.
    let lostMs = 0
    const fullMs = (policy.burst / policy.ratePerMinute) * 60_000
    const faults = meanwhile?.()
    await Promise.all(
      limiters.map(async (limiter) => {
        while (performance.now() - begin < spanMs) {
          const takes = Array.from({ length: 40 }, () => limiter.take(key, policy, Date.now()))
          for (const { allowed } of await Promise.all(takes)) {
            offered++
            if (allowed) admitted++
          }
          const now = performance.now()
          lostMs += Math.max(0, now - heardAt - fullMs / 2)
          heardAt = now
          await new Promise((turn) => setImmediate(turn))
        }
      }),
    )
    const minutes = (performance.now() - begin) / 60_000
    await faults
    const bound = policy.burst + policy.ratePerMinute * minutes
    // Ten times as much on an idle machine.
    expect(offered).toBeGreaterThan(1.5 * policy.ratePerMinute * minutes)
    const alone = limiters.reduce((sum, limiter) => sum + limiter.localFallbackCount, 0)
    const lost = (policy.ratePerMinute * lostMs) / 60_000
    const late = lateSoFar() - lateBefore
    return { admitted, bound, lost, late, together: offered - alone }
  }

  test('many times the rate through four nodes is limited to the rate', async () => {
    const { admitted, bound, lost, late, together } = await storm(SPAN)
    // Counted together, except what late responses leave to a single node.
    expect(together).toBeGreaterThan(bound)
    expect(admitted).toBeLessThanOrEqual(most(bound, late))
    expect(admitted).toBeGreaterThan(bound * 0.8 - lost)
  })

  test('also while Redis is frozen for a while', async () => {
    const { admitted, bound, late } = await storm(SPAN, async () => {
      await Bun.sleep(SPAN / 5)
      redis.freeze()
      await Bun.sleep(SPAN / 2.5)
      redis.thaw()
    })
    // Four nodes that notice at different moments, twice, on a busy machine: more than the one
    // percent without failures, and far from the four shares of nodes that don't know each other.
    expect(admitted).toBeLessThanOrEqual(most(bound, late) + policy.burst / 2)
    expect(clusters.every(({ state }) => state().localFallbackCount > 0)).toBe(true)
  })

  test('a Redis that dies and restarts empty allows one more burst at most', async () => {
    const { admitted, bound, late } = await storm(SPAN, async () => {
      await Bun.sleep(SPAN / 5)
      await redis.stop()
      await Bun.sleep(SPAN / 2.5)
      await redis.start()
    })
    expect(admitted).toBeLessThanOrEqual(most(bound, late) + policy.burst)
    await allKnown()
    // It decides again.
    const limiter = (clusters[0] as Cluster).limiter('again')
    expect(limiter.take('x', policy, Date.now())).toBeInstanceOf(Promise)
  })

  test('without Redis each node allows its share, immediately', async () => {
    await redis.stop()
    await eventually('it is known', () =>
      clusters.every(({ state }) => !state().up) ? true : undefined,
    )
    const strict = { ratePerMinute: 1, burst: 12 }
    let admitted = 0
    for (const cluster of clusters) {
      const limiter = cluster.limiter('guesses')
      for (let i = 0; i < 50; i++) {
        const decision = limiter.take('link 1', strict, 1_790_000_000_000)
        expect(decision).not.toBeInstanceOf(Promise)
        if ((decision as Decision).allowed) admitted++
      }
    }
    expect(admitted).toBe(12)
  })

  test('shared usage isn’t restored by deciding alone, nor afterwards', async () => {
    const strict = { ratePerMinute: 1, burst: 12 }
    const limiters = clusters.map((cluster) => cluster.limiter('both'))
    const take = async (i: number) =>
      (await (limiters[i] as (typeof limiters)[0]).take('link 1', strict, Date.now())).allowed
    const first = [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3]
    for (const i of first) expect(await take(i)).toBe(true)
    redis.freeze()
    for (const i of first) expect([i, await take(i)]).toEqual([i, false])
    redis.thaw()
    await allKnown()
    for (const i of first) expect(await take(i)).toBe(false)
  })

  test('a slow Redis delays one request; the next one isn’t delayed', async () => {
    const cluster = clusters[0] as Cluster
    const limiter = cluster.limiter('slow')
    expect(await limiter.take('x', policy, Date.now())).toMatchObject({ allowed: true })
    proxy.delay(600)
    const before = cluster.state().late
    const waiting = limiter.take('x', policy, Date.now())
    expect(waiting).toBeInstanceOf(Promise)
    expect((await waiting).allowed).toBe(true)
    // That request, and perhaps the node's heartbeat.
    expect(cluster.state().late).toBeGreaterThan(before)
    expect(limiter.take('x', policy, Date.now())).not.toBeInstanceOf(Promise)
    proxy.delay(0)
    await eventually('it is asked again', () => (cluster.state().up ? true : undefined))
    expect(limiter.take('x', policy, Date.now())).toBeInstanceOf(Promise)
  })

  test('scripts that the server has forgotten are loaded again', async () => {
    const limiter = (clusters[0] as Cluster).limiter('forgot')
    await limiter.take('x', policy, Date.now())
    const flush = Bun.spawnSync(['redis-cli', '-p', String(redis.port), 'SCRIPT', 'FLUSH'])
    expect(flush.exitCode).toBe(0)
    const takes = Array.from({ length: 5 }, () => limiter.take('x', policy, Date.now()))
    const decisions = await Promise.all(takes)
    expect(decisions.every(({ allowed }) => allowed)).toBe(true)
    expect(limiter.localFallbackCount).toBe(0)
  })

  test('keys contain only hashes of addresses, and expire', async () => {
    const limiter = (clusters[0] as Cluster).limiter('hidden', new Uint8Array(32))
    await limiter.take('203.0.113.7', { ratePerMinute: 1, burst: 5 }, Date.now())
    const cli = (...args: string[]) =>
      Bun.spawnSync(['redis-cli', '-p', String(redis.port), ...args]).stdout.toString()
    const [key, ...others] = cli('KEYS', '*limit:hidden:*').trim().split('\n')
    expect(others).toEqual([])
    expect(key).toMatch(/^slugline:limit:hidden:\{[\w-]{22}\}$/)
    expect(Number(cli('PTTL', key as string))).toBeWithin(1, 61_100)
  })

  test('a node that leaves isn’t counted any more, nor a silent one after a while', async () => {
    await (clusters[3] as Cluster).close()
    await eventually('three are left', async () => {
      const counts = clusters.slice(0, 3).map(({ state }) => state().nodes)
      return counts.every((count) => count === 3) ? true : undefined
    })
    proxy.cut()
    await eventually('two are left', () =>
      clusters[1]?.state().nodes === 2 && clusters[2]?.state().nodes === 2 ? true : undefined,
    )
    // It keeps the last known number.
    expect(clusters[0]?.state().nodes).toBe(3)
  })
})
