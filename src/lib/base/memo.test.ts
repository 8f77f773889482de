import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createMemo } from './memo.ts'

test('returns what the function returns and doesn’t recompute recent keys', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(9), { maxLength: 200 }),
      fc.integer({ min: 1, max: 5 }),
      (keys, n) => {
        const computed: number[] = []
        const memo = createMemo(n, (key: number) => {
          computed.push(key)
          return key * 2
        })
        for (const [i, key] of keys.entries()) {
          const recent = new Set<number>()
          for (let j = i - 1; j >= 0 && recent.size < n; j--) recent.add(keys[j] as number)
          const before = computed.length
          expect(memo(key)).toBe(key * 2)
          if (recent.has(key)) expect(computed.length).toBe(before)
        }
      },
    ),
  )
})

test('holds no more than twice its size', () => {
  let computed = 0
  const memo = createMemo(10, (key: number) => {
    computed++
    return key
  })
  for (let key = 0; key < 1_000; key++) memo(key)
  computed = 0
  for (let key = 999; key >= 0; key--) memo(key)
  expect(computed).toBeGreaterThanOrEqual(980)
})

test('null is remembered like any other result', () => {
  let computed = 0
  const memo = createMemo(10, () => {
    computed++
    return null
  })
  memo(1)
  expect(memo(1)).toBeNull()
  expect(computed).toBe(1)
  memo.clear()
  memo(1)
  expect(computed).toBe(2)
})
