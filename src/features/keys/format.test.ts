import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Random } from '../../lib/base/random.ts'
import { BASE62, makeKey, prefixOf } from './authenticate.ts'

/** The same bytes for the same seed. */
function seeded(seed: number): Random {
  let state = seed >>> 0
  return {
    bytes(length) {
      return Uint8Array.from({ length }, () => {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
        return state >>> 24
      })
    },
  }
}

const anyKey = fc.integer({ min: 0, max: 0xffff_ffff }).map((seed) => makeKey(seeded(seed)))

describe('a key', () => {
  test('has its shape, and is recognised by its prefix', () => {
    fc.assert(
      fc.property(anyKey, ({ key, prefix }) => {
        expect(key).toMatch(/^slug_[0-9A-Za-z]{8}_[0-9A-Za-z]{32}$/)
        expect(key.slice(5, 13)).toBe(prefix)
        expect(prefixOf(key)).toBe(prefix)
      }),
    )
  })

  test('depends only on the random bytes', () => {
    expect(makeKey(seeded(7))).toEqual(makeKey(seeded(7)))
    expect(makeKey(seeded(7)).key).not.toBe(makeKey(seeded(8)).key)
  })

  // Computed with zlib's crc32 and an independent base62.
  test('ends with the padded CRC-32 of the rest', () => {
    const zeros: Random = { bytes: (length) => new Uint8Array(length) }
    expect(makeKey(zeros).key).toBe(`slug_00000000_${'0'.repeat(26)}3SUFCM`)
  })

  test('is refused after any change of one character', () => {
    fc.assert(
      fc.property(anyKey, ({ key }) => {
        for (let at = 0; at < key.length; at++) {
          for (const character of `${BASE62}_-é `) {
            if (character === key[at]) continue
            expect(prefixOf(key.slice(0, at) + character + key.slice(at + 1))).toBeNull()
          }
        }
      }),
      { numRuns: 20 },
    )
  })

  test('is refused when two neighbours are swapped, or one is missing or doubled', () => {
    fc.assert(
      fc.property(anyKey, fc.nat(44), ({ key }, at) => {
        const [one, two] = [key[at] as string, key[at + 1] as string]
        if (one !== two) {
          expect(prefixOf(key.slice(0, at) + two + one + key.slice(at + 2))).toBeNull()
        }
        expect(prefixOf(key.slice(0, at) + key.slice(at + 1))).toBeNull()
        expect(prefixOf(key.slice(0, at) + one + key.slice(at))).toBeNull()
      }),
    )
  })

  test('has no other form', () => {
    const { key } = makeKey(seeded(1))
    for (const text of ['', 'slug_', ` ${key}`, `${key}\n`, key.toLowerCase(), `${key}\0`]) {
      expect(prefixOf(text)).toBeNull()
    }
    fc.assert(fc.property(fc.string(), (text) => prefixOf(text) === null))
  })
})
