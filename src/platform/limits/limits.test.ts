import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createMemoryLimiter, decide, type LimitState } from './memory.ts'

const policies = fc.record({
  ratePerMinute: fc.integer({ min: 1, max: 100_000 }),
  burst: fc.integer({ min: 1, max: 5_000 }),
})
const START = 1_760_000_000_000

describe('decide', () => {
  test('never lets more through than burst + elapsed × rate, over any span', () => {
    fc.assert(
      fc.property(policies, fc.array(fc.integer({ min: 0, max: 5_000 })), (policy, gaps) => {
        let state: LimitState | undefined
        let now = START
        const admitted: number[] = []
        for (const gap of gaps.flatMap((ms) => [ms, 0, 0, 1])) {
          now += gap
          const decision = decide(state, policy, now)
          state = decision.state
          if (decision.allowed) admitted.push(now)
        }
        for (let first = 0; first < admitted.length; first += 7) {
          const from = admitted[first] as number
          for (let last = first; last < admitted.length; last++) {
            const minutes = ((admitted[last] as number) - from) / 60_000
            const bound = policy.burst + minutes * policy.ratePerMinute
            expect(last - first + 1).toBeLessThanOrEqual(Math.floor(bound + 1e-6))
          }
        }
      }),
    )
  })

  test('gives at least 99 % of the rate when ten times as much is requested', () => {
    for (const policy of [
      { ratePerMinute: 60, burst: 60 },
      { ratePerMinute: 7, burst: 3 },
      { ratePerMinute: 6_000, burst: 100 },
      { ratePerMinute: 7_001, burst: 5 },
    ]) {
      const spanMs = 5 * 60_000
      const offered = policy.ratePerMinute * 10 * 5
      let state: LimitState | undefined
      let admitted = 0
      for (let i = 0; i < offered; i++) {
        const decision = decide(state, policy, START + Math.floor((i * spanMs) / offered))
        state = decision.state
        if (decision.allowed) admitted++
      }
      expect(admitted).toBeLessThanOrEqual(policy.burst + policy.ratePerMinute * 5)
      expect(admitted - policy.burst).toBeGreaterThanOrEqual(policy.ratePerMinute * 5 * 0.99 - 1)
    }
  })

  test('a retry is allowed after retryAfterMs, and not a millisecond before', () => {
    fc.assert(
      fc.property(policies, fc.integer({ min: 0, max: 100 }), (policy, extraMs) => {
        let state: LimitState | undefined
        for (let i = 0; i < policy.burst; i++) state = decide(state, policy, START).state
        const refused = decide(state, policy, START)
        expect(refused.allowed).toBe(false)
        expect(refused.remaining).toBe(0)
        const { retryAfterMs } = refused
        expect(decide(refused.state, policy, START + retryAfterMs - 1).allowed).toBe(false)
        expect(decide(refused.state, policy, START + retryAfterMs + extraMs).allowed).toBe(true)
      }),
    )
  })

  test('refunded requests can be used again', () => {
    fc.assert(
      fc.property(policies, fc.array(fc.boolean(), { maxLength: 30 }), (policy, refunds) => {
        let state: LimitState | undefined
        let taken = 0
        for (const refund of refunds) {
          const decision = decide(state, policy, START)
          if (!decision.allowed) break
          state = decision.state
          taken++
          if (refund) {
            state = decide(state, policy, START, -1).state
            taken--
          }
          expect(decide(state, policy, START, 0).remaining).toBe(policy.burst - taken)
        }
      }),
    )
  })

  test('a clock that steps back neither blocks a caller nor adds requests', () => {
    const policy = { ratePerMinute: 60, burst: 2 }
    let state: LimitState | undefined
    for (let i = 0; i < 2; i++) state = decide(state, policy, START).state
    const refused = decide(state, policy, START - 3_600_000)
    expect(refused.allowed).toBe(false)
    expect(refused.retryAfterMs).toBe(1000)
    expect(decide(refused.state, policy, START - 3_600_000 + 1000).allowed).toBe(true)
  })

  test('a smaller plan takes effect immediately', () => {
    const big = { ratePerMinute: 600, burst: 600 }
    let state: LimitState | undefined
    for (let i = 0; i < 500; i++) state = decide(state, big, START).state
    const decision = decide(state, { ratePerMinute: 60, burst: 60 }, START)
    expect(decision.allowed).toBe(false)
    expect(decision.retryAfterMs).toBe(1000)
  })
})

describe('the limiter in memory', () => {
  const policy = { ratePerMinute: 60, burst: 3 }

  test('counts callers separately', () => {
    const limiter = createMemoryLimiter()
    for (let i = 0; i < 3; i++) expect(limiter.take('a', policy, START).allowed).toBe(true)
    expect(limiter.take('a', policy, START).allowed).toBe(false)
    expect(limiter.take('b', policy, START).allowed).toBe(true)
    expect(limiter.refund('a', policy, START).remaining).toBe(1)
    expect(limiter.look('a', policy, START).remaining).toBe(1)
    expect(limiter.take('a', policy, START).allowed).toBe(true)
  })

  test('forgets callers whose full burst is available again', () => {
    const limiter = createMemoryLimiter()
    for (let i = 0; i < 20_000; i++) limiter.take(`caller ${i}`, policy, START + i)
    // One request is restored per second: a thousand callers are not yet full again.
    expect(limiter.size).toBeLessThan(2_100)
  })

  test('stays within its size with many new callers', () => {
    const limiter = createMemoryLimiter(100)
    for (let i = 0; i < 1_000; i++) limiter.take(`caller ${i}`, policy, START)
    expect(limiter.size).toBe(100)
  })
})
