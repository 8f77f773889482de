import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { hashNormalized, TYPED_PASSWORD_MAX, verifyNormalized } from './passwords.ts'

const CHEAP = { memoryCost: 8, timeCost: 1 }
const FORMS = ['NFC', 'NFD', 'NFKC', 'NFKD'] as const

test('a password matches in every Unicode normalization form, and no other does', async () => {
  const form = fc.constantFrom(...FORMS)
  const password = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(password, form, form, async (text, set, typed) => {
      const hash = await hashNormalized(text.normalize(set), CHEAP)
      expect(await verifyNormalized(text.normalize(typed), hash)).toBe(true)
      expect(await verifyNormalized(`${text.normalize(typed)}!`, hash)).toBe(false)
    }),
    { numRuns: 60 },
  )
})

test('a hash of a password that was not normalized still matches it as typed', async () => {
  const decomposed = 'cafe\u0301 et the\u0301'
  const old = await Bun.password.hash(decomposed, { algorithm: 'argon2id', ...CHEAP })
  expect(await verifyNormalized(decomposed, old)).toBe(true)
  expect(await verifyNormalized('something else', old)).toBe(false)
})

test('a password longer than any can be typed is not normalized', async () => {
  const hash = await hashNormalized('a'.repeat(TYPED_PASSWORD_MAX), CHEAP)
  expect(await verifyNormalized('a'.repeat(TYPED_PASSWORD_MAX), hash)).toBe(true)
  const before = process.threadCpuUsage()
  expect(await verifyNormalized('\u0301\u0316'.repeat(16_000), hash)).toBe(false)
  // It takes seconds otherwise.
  expect(process.threadCpuUsage(before).user / 1_000).toBeLessThan(100)
})
