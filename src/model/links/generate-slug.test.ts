import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { systemRandom } from '../../lib/base/random.ts'
import { LOCALES } from '../../lib/i18n/index.ts'
import { foldCase } from '../../lib/validation/text.ts'
import { generateSlug } from './generate-slug.ts'
import { FRAGMENTS, offends } from './offensive.ts'
import { parseSlug, RESERVED_SEGMENTS, SLUG_ALPHABET } from './slug.ts'
import { SLUG_STYLES, type SlugStyle, slugFieldsOf, withSlugFields } from './slug-settings.ts'
import { SLUG_WORDS } from './slug-words.ts'

const PARTS: Record<SlugStyle, RegExp> = {
  readable: new RegExp(`^[${SLUG_ALPHABET}]+$`),
  lowercase: /^[a-z]+$/,
  digits: /^[0-9]+$/,
  words: /^[a-z]+-[a-z]+-[2-9]{4,}$/,
}
const settings = fc.record({
  style: fc.constantFrom(...SLUG_STYLES),
  length: fc.integer({ min: 4, max: 32 }),
  prefix: fc.constantFrom('', 'go-', 'sale/', 'Ünï', '🎉', 'a/b/c'),
})

describe('a generated slug', () => {
  test('has its alphabet, length and prefix, and is a slug that offends nobody', () => {
    fc.assert(
      fc.property(settings, fc.integer({ min: 0, max: 29 }), (wanted, tries) => {
        const slug = generateSlug(systemRandom, tries, wanted, 0)
        const { style, length, prefix } = wanted
        expect(slug.startsWith(prefix)).toBe(true)
        const part = slug.slice(prefix.length)
        expect(part).toMatch(PARTS[style])
        if (style !== 'words') expect(part).toHaveLength(length + Math.floor(tries / 3))
        expect(offends(part)).toBe(false)
        expect(parseSlug(slug)).toMatchObject({ slug: slug.normalize('NFC') })
      }),
      { numRuns: 2_000 },
    )
  })

  test('gets longer after collisions, words too', () => {
    const words = { style: 'words', length: 7, prefix: '' } as const
    const digits = (tries: number) =>
      generateSlug(systemRandom, tries, words, 0).split('-')[2]?.length ?? 0
    expect([0, 2, 3, 9].map(digits)).toEqual([4, 4, 5, 7])
  })

  test('comes from the given source of random bytes, and rarely twice', () => {
    const zeros = { bytes: (length: number) => new Uint8Array(length).fill(200) }
    const readable = { style: 'readable', length: 7, prefix: '' } as const
    expect(generateSlug(zeros, 0, readable, 0)).toBe(generateSlug(zeros, 0, readable, 0))
    for (const style of ['readable', 'lowercase', 'words'] as const) {
      const made = Array.from({ length: 2_000 }, () =>
        generateSlug(systemRandom, 0, { style, length: 7, prefix: '' }, 0),
      )
      expect(new Set(made).size).toBeGreaterThan(1_990)
    }
  })

  test('is never reserved', () => {
    // With the first of two draws, the whole would be `app`.
    let draw = 0
    const app = { bytes: (length: number) => new Uint8Array(length).fill(draw++ === 0 ? 15 : 3) }
    const wanted = { style: 'lowercase', length: 1, prefix: 'ap' } as const
    expect(RESERVED_SEGMENTS.has('app')).toBe(true)
    expect(generateSlug(app, 0, wanted, 0)).toBe('apd')
  })
})

describe('the words', () => {
  test('are plain, different, and have no part that offends', () => {
    expect(new Set(SLUG_WORDS).size).toBe(SLUG_WORDS.length)
    for (const word of SLUG_WORDS) expect(word).toMatch(/^[a-z]{4,7}$/)
    expect(SLUG_WORDS.filter(offends)).toEqual([])
  })

  test('are the same letters in capitals on every keyboard, and look like no other word', () => {
    for (const locale of LOCALES) {
      for (const word of SLUG_WORDS) {
        const capitalized = (word[0] as string).toLocaleUpperCase(locale) + word.slice(1)
        expect(foldCase(capitalized)).toBe(word)
      }
    }
    const looks = new Map<string, string>()
    for (const word of SLUG_WORDS) {
      const look = lookOf(word)
      expect([word, looks.get(look)]).toEqual([word, undefined])
      looks.set(look, word)
    }
  })

  test('make at least 30 bits with their digits, without pairs that offend where they meet', () => {
    let pairs = 0
    for (const one of SLUG_WORDS) {
      for (const other of SLUG_WORDS) if (!offends(`${one}-${other}`)) pairs++
    }
    let numbers = 0
    for (let n = 2_222; n <= 9_999; n++) {
      if (/^[2-9]{4}$/.test(String(n)) && !offends(String(n))) numbers++
    }
    expect(Math.log2(pairs) + Math.log2(numbers)).toBeGreaterThan(30)
    expect(offends('beacon-orange') && offends('oasis-lagoon')).toBe(true)
  })
})

/** Letters that look alike become the same. */
function lookOf(word: string): string {
  const pairs = word.replaceAll(/rn|nn/g, 'm').replaceAll('vv', 'w').replaceAll('cl', 'd')
  return pairs.replaceAll(/[ij]/g, 'l').replaceAll('u', 'v').replaceAll('q', 'g')
}

describe('the list of what offends', () => {
  test.each(LOCALES)('has words in %s, as they are typed in Latin letters', (locale) => {
    const words = FRAGMENTS[locale].trim().split(/\s+/)
    expect(words.length).toBeGreaterThanOrEqual(20)
    expect(new Set(words).size).toBe(words.length)
    for (const word of words) {
      expect(word).toMatch(/^[a-z]{3,}$/)
      for (const text of [word, word.toUpperCase(), `x${word}9`, word.replace(/^../, '$&-')]) {
        expect([text, offends(text)]).toEqual([text, true])
      }
    }
  })
})

test('settings are stored without defaults, and null goes back to them', () => {
  const stored = withSlugFields(null, { slug_length: 9, slug_style: 'words', slug_prefix: 'a-' })
  expect(slugFieldsOf(stored)).toEqual({ slug_length: 9, slug_style: 'words', slug_prefix: 'a-' })
  const less = withSlugFields(stored, { slug_style: null, slug_prefix: '' })
  expect(slugFieldsOf(less)).toEqual({ slug_length: 9, slug_style: 'readable', slug_prefix: null })
  expect(withSlugFields(less, { slug_length: 7 })).toBeNull()
  expect(slugFieldsOf(undefined)).toMatchObject({ slug_length: 7 })
})
