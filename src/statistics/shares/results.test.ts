import { expect, test } from 'bun:test'
import { createResults } from './results.ts'

test('a result is used for two seconds, by the same question', async () => {
  let ms = 0
  let asked = 0
  const resultOf = createResults({ clock: { now: () => ms } })
  const ask = (question: unknown) => resultOf(question, async () => ++asked)
  expect([await ask(['a', 1]), await ask(['a', 1]), await ask(['a', 2])]).toEqual([1, 1, 2])
  ms = 1_999
  expect(await ask(['a', 1])).toBe(1)
  ms = 2_000
  expect([await ask(['a', 1]), await ask(['a', 1])]).toEqual([3, 3])
})

test('a failure is not kept, and the oldest of too many results is dropped', async () => {
  let asked = 0
  const resultOf = createResults({ clock: { now: () => 0 } })
  const failing = resultOf('x', () => Promise.reject(new Error('away')))
  expect(await failing.catch(({ message }) => message)).toBe('away')
  for (let n = 0; n <= 500; n++) await resultOf(n, async () => ++asked)
  expect(await resultOf('x', async () => 'here')).toBe('here')
  expect([await resultOf(500, async () => 0), await resultOf(0, async () => -1)]).toEqual([501, -1])
})
