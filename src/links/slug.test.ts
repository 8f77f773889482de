import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { systemRandom } from '../base/random.ts'
import { Fault } from '../validation/fault.ts'
import {
  alternatives,
  generateSlug,
  parseSlug,
  RESERVED_SLUGS,
  SLUG_ALPHABET,
  slugKey,
} from './values.ts'

const code = (text: string) => {
  const result = parseSlug(text)
  return result instanceof Fault ? result.code : result
}
const letters = fc.string({ unit: 'grapheme', maxLength: 12 })

describe('the key of a slug', () => {
  test('is the same for all ways to write it', () => {
    fc.assert(
      fc.property(letters, (text) => {
        const key = slugKey(text)
        expect(slugKey(text.normalize('NFD'))).toBe(key)
        expect(slugKey(text.normalize('NFC'))).toBe(key)
        expect(slugKey(text.toUpperCase())).toBe(key)
        expect(slugKey(key)).toBe(key)
      }),
    )
  })

  test('is stable for every letter there is', () => {
    const unstable: string[] = []
    for (let point = 0; point <= 0x10ffff; point++) {
      if (point >= 0xd800 && point <= 0xdfff) continue
      const letter = String.fromCodePoint(point)
      if (/[\p{L}\p{M}\p{Nd}]/u.test(letter) && slugKey(slugKey(letter)) !== slugKey(letter)) {
        unstable.push(letter)
      }
    }
    expect(unstable).toEqual([])
  })

  test('joins what differs only in case', () => {
    expect(slugKey('STRASSE')).toBe(slugKey('straße'))
    expect(slugKey('ΣΊΣΥΦΟΣ')).toBe(slugKey('σίσυφος'))
    expect(slugKey('A-b_9')).toBe('a-b_9')
  })
})

describe('a chosen slug', () => {
  test('may have letters of any script, digits, hyphen and underscore', () => {
    for (const text of ['a', 'Summer-Sale_2026', 'ürün', 'फ़ैशन', '夏', '٣', 'x'.repeat(64)]) {
      expect(code(text)).toEqual({ slug: text.normalize('NFC'), key: slugKey(text) })
    }
  })

  test('is kept in NFC', () => {
    expect(code('Cafe\u0301')).toEqual({ slug: 'Café', key: 'café' })
  })

  test('has nothing else', () => {
    for (const text of ['a b', 'a/b', 'a.b', 'a+', '😀', 'a\0', '\ud800', '\u0301a', 'a%20', '½']) {
      expect(code(text)).toBe('INVALID_SLUG')
    }
  })

  test('has nothing that cannot be seen', () => {
    // A variation selector, two fillers (letters by Unicode), a grapheme joiner, a zero-width one.
    for (const invisible of ['\ufe0f', '\u3164', '\u115f', '\u034f', '\u200d']) {
      expect(code(`a${invisible}b`)).toBe('INVALID_SLUG')
    }
  })

  test('has 1 to 64 characters, counted in code points', () => {
    expect(code('')).toBe('TOO_SHORT')
    expect(code('x'.repeat(65))).toBe('TOO_LONG')
    expect(code('𐐷'.repeat(64))).toMatchObject({ slug: '𐐷'.repeat(64) })
    expect(code('𐐷'.repeat(65))).toBe('TOO_LONG')
  })

  test('is not reserved, in any case', () => {
    for (const text of ['api', 'API', 'Docs', 'ＡＰＩ', 'ａｐｉ', '𝐀𝐩𝐢', 'ſtatus']) {
      expect(code(text)).toBe('SLUG_RESERVED')
    }
    for (const key of RESERVED_SLUGS) expect(slugKey(key)).toBe(key)
  })
})

describe('a generated slug', () => {
  test('has seven characters, and more after collisions', () => {
    for (const [tries, length] of [
      [0, 7],
      [2, 7],
      [3, 8],
      [9, 10],
    ] as const) {
      const slug = generateSlug(systemRandom, tries)
      expect(slug).toHaveLength(length)
      expect([...slug].every((letter) => SLUG_ALPHABET.includes(letter))).toBe(true)
    }
  })

  test('has no look-alikes', () => {
    for (const letter of '0o1li') expect(SLUG_ALPHABET).not.toContain(letter)
  })
})

test('alternatives are valid slugs, however long the taken one is', () => {
  for (const slug of ['a', 'x'.repeat(64), '𐐷'.repeat(64)]) {
    for (const other of alternatives(slug, systemRandom)) {
      expect(parseSlug(other.slug)).toEqual(other)
    }
  }
})
