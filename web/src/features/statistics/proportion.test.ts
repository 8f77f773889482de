import { expect, test } from 'bun:test'
import { compareVariants, verdictOf, wilson } from './proportion.ts'

test('intervals are those of Newcombe (1998), table I, method 3', () => {
  for (const [count, total, low, high] of [
    [81, 263, 0.2553, 0.3662],
    [15, 148, 0.0624, 0.1605],
    [0, 20, 0, 0.1611],
    [1, 29, 0.0061, 0.1718],
  ] as const) {
    const interval = wilson(count, total)
    expect(interval.low).toBeCloseTo(low, 4)
    expect(interval.high).toBeCloseTo(high, 4)
    const other = wilson(total - count, total)
    expect(other.low).toBeCloseTo(1 - interval.high, 10)
    expect(other.high).toBeCloseTo(1 - interval.low, 10)
  }
  expect(wilson(0, 0)).toEqual({ low: 0, high: 1 })
})

const SPLIT = [
  { id: 'a', name: 'Old', weight: 30 },
  { id: 'b', weight: 70 },
]
const verdict = (a: number, b: number) =>
  verdictOf(
    compareVariants(
      SPLIT,
      new Map([
        ['a', a],
        ['b', b],
        ['former', 1_000],
      ]),
    ),
  )

test('a split is compared with its weights, not with equal shares', () => {
  expect(compareVariants(SPLIT, new Map([['a', 33]]))).toMatchObject([
    { name: 'Old', visitors: 33, share: 1, expected: 0.3 },
    { name: 'b', visitors: 0, share: 0, expected: 0.7 },
  ])
  expect(verdict(0, 0)).toEqual({ kind: 'few' })
  expect(verdict(60, 39)).toEqual({ kind: 'few' })
  expect(verdict(33, 67)).toEqual({ kind: 'chance' })
  expect(verdict(500, 500)).toMatchObject({ kind: 'more', variant: { id: 'a' } })
  expect(verdict(20, 980)).toMatchObject({ kind: 'fewer', variant: { id: 'a' } })
})

test('the weights are within the interval for 95 % of all splits that follow them', () => {
  let state = 42
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  let within = 0
  for (let n = 0; n < 2_000; n++) {
    let a = 0
    for (let visitor = 0; visitor < 200; visitor++) if (random() < 0.3) a++
    const { low, high } = wilson(a, 200)
    if (low <= 0.3 && high >= 0.3) within++
  }
  expect(within / 2_000).toBeGreaterThan(0.93)
  expect(within / 2_000).toBeLessThan(0.97)
})
