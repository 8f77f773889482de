import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Random } from '../../lib/base/random.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { choose, planOf } from './decide.ts'
import { naiveChoice } from './testing/naive.ts'
import { type DescribedVisitor, PLACES, rules, variants, visitor } from './testing/world.ts'
import type { Rule, Variant } from './types.ts'
import { Visitor } from './visitor.ts'

const OWN = 'https://own.example/'

function see(described: Partial<DescribedVisitor>, hash = 'abcdefghijklmnop'): Visitor {
  const { agent, language, parameters = [], referrer = '', address = '5.1.1.7' } = described
  return new Visitor({
    now: described.now ?? 0,
    userAgent: agent?.text ?? '',
    how: 0,
    language: language?.[0] ?? '',
    search: `?${new URLSearchParams(parameters)}`,
    referrer,
    address,
    placeOf: (network) => PLACES[network] ?? { country: null, region: null },
    hash: () => hash,
  })
}

function plan(ofRules: readonly Rule[], ofVariants: readonly Variant[] = []) {
  const text = (list: readonly unknown[]) => (list.length === 0 ? null : JSON.stringify(list))
  return planOf(text(ofRules), text(ofVariants))
}

test('rules decide like a naive model, and explain each step', () => {
  fc.assert(
    fc.property(rules, fc.option(variants), visitor, (list, split, described) => {
      const steps: [string, boolean][] = []
      const trace = (check: string, passed: boolean) => void steps.push([check, passed])
      const link = { seq: 7, target: OWN }
      const choice = choose(plan(list, split ?? []), link, see(described), { trace })
      const naive = naiveChoice(list, split ?? [], OWN, described)
      expect(choice.rule).toBe(naive.rule)
      expect(choice.answer).toBe(naive.answer as typeof choice.answer)
      if (choice.answer === null) {
        expect(naive.variants).toContainEqual({ id: choice.variant, url: choice.target })
      }
      // Of each rule before the deciding one exactly one condition failed.
      const failed = steps.filter(([, passed]) => !passed).map(([check]) => check.split('.')[0])
      const at = list.findIndex(({ id }) => id === choice.rule)
      const before = list.slice(0, at < 0 ? list.length : at)
      expect(failed).toEqual(before.map((_, i) => `rules[${i}]`))
    }),
    { numRuns: 3_000 },
  )
})

const WEIGHTS = { a: 50, b: 30, c: 20 }
const split = (weights: Record<string, number>): Variant[] =>
  Object.entries(weights).map(([id, weight]) => ({
    id,
    weight,
    destination_url: `https://${id}.example/`,
  }))
const VISITORS = 100_000
const hashOf = (n: number) =>
  Bun.CryptoHasher.hash('sha256', `visitor ${n}`, 'base64url').slice(0, 16)
const variantOf = (weights: Record<string, number>, n: number, seq = 1) => {
  const choice = choose(plan([], split(weights)), { seq, target: OWN }, see({}, hashOf(n)))
  return choice.answer === null ? (choice.variant as string) : ''
}

/** Half the width of the 99 % confidence interval of a share. */
const margin99 = (share: number, of: number) => 2.576 * Math.sqrt((share * (1 - share)) / of)

describe('a split', () => {
  const drawn = (weights: Record<string, number>, seq?: number) => {
    const shared = plan([], split(weights))
    return Array.from({ length: VISITORS }, (_, n) => {
      const choice = choose(shared, { seq: seq ?? 1, target: OWN }, see({}, hashOf(n)))
      return choice.answer === null ? (choice.variant as string) : ''
    })
  }
  const shareOf = (list: readonly string[], id: string) =>
    list.filter((each) => each === id).length / list.length
  const before = drawn(WEIGHTS)

  test('of 100,000 visitors is within the 99 % interval of the weights', () => {
    for (const [id, weight] of Object.entries(WEIGHTS)) {
      const share = weight / 100
      expect(Math.abs(shareOf(before, id) - share)).toBeLessThan(margin99(share, VISITORS))
    }
  })

  test('keeps each visitor’s variant, whatever the order of the variants', () => {
    const { a, b, c } = WEIGHTS
    for (let n = 0; n < 200; n++) expect(variantOf({ c, a, b }, n)).toBe(before[n] as string)
  })

  test('moves only as many as a changed weight needs, and only towards it', () => {
    const after = drawn({ ...WEIGHTS, c: 60 })
    const moved = after.filter((id, n) => id !== before[n])
    expect(new Set(moved)).toEqual(new Set(['c']))
    // From 20 of 100 to 60 of 140.
    const needed = 60 / 140 - 20 / 100
    expect(Math.abs(moved.length / VISITORS - needed)).toBeLessThan(margin99(needed, VISITORS))
  })

  test('scaling all weights moves no one, and a new variant takes only its own share', () => {
    expect(drawn({ a: 5000, b: 3000, c: 2000 })).toEqual(before)
    const after = drawn({ ...WEIGHTS, d: 25 })
    expect(new Set(after.filter((id, n) => id !== before[n]))).toEqual(new Set(['d']))
  })

  test('of another link is independent', () => {
    const other = drawn(WEIGHTS, 2)
    const both = before.filter((id, n) => id === 'a' && other[n] === 'a').length / VISITORS
    expect(Math.abs(both - 0.25)).toBeLessThan(margin99(0.25, VISITORS))
  })

  test('moves visitors only to or from changed variants, for any weights', () => {
    const weight = fc.integer({ min: 1, max: 10_000 })
    fc.assert(
      fc.property(
        fc.record({ a: weight, b: weight, c: weight, d: weight }),
        fc.constantFrom('a' as const, 'b' as const, 'c' as const, 'd' as const),
        weight,
        fc.nat(),
        (weights, changed, to, n) => {
          const [was, is] = [variantOf(weights, n), variantOf({ ...weights, [changed]: to }, n)]
          if (was === is) return
          expect(to > weights[changed] ? is : was).toBe(changed)
        },
      ),
      { numRuns: 2_000 },
    )
  })

  test('assigns visitors without a hash at random', () => {
    const chosen = (random: Random) => {
      const choice = choose(plan([], split(WEIGHTS)), { seq: 1, target: OWN }, see({}, ''), {
        random,
      })
      return choice.answer === null ? (choice.variant as string) : ''
    }
    const held = { bytes: (length: number) => new Uint8Array(length).fill(7) }
    expect(new Set(Array.from({ length: 50 }, () => chosen(held))).size).toBe(1)
    const shares = Array.from({ length: 20_000 }, () => chosen(systemRandom))
    for (const [id, weight] of Object.entries(WEIGHTS)) {
      // A random test: five standard deviations, so that it fails once in millions of runs.
      expect(Math.abs(shareOf(shares, id) - weight / 100)).toBeLessThan(
        2 * margin99(weight / 100, shares.length),
      )
    }
  })
})
