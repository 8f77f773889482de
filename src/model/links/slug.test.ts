import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { systemRandom } from '../../lib/base/random.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import type { Domains } from '../domains/index.ts'
import {
  alternatives,
  checkAlias,
  formatAlias,
  isReserved,
  parseSlug,
  RESERVED_SEGMENTS,
  SLUG_ALPHABET,
  slugKey,
} from './slug.ts'

const code = (text: string) => {
  const result = parseSlug(text)
  return result instanceof ValidationIssue ? result.code : result
}
const letters = fc.string({ unit: 'grapheme', maxLength: 12 })

describe('the key of a slug', () => {
  test('is the same for all spellings', () => {
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

  test('is idempotent for every letter', () => {
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

  test('is the same for slugs that differ only in case', () => {
    expect(slugKey('STRASSE')).toBe(slugKey('straße'))
    expect(slugKey('ΣΊΣΥΦΟΣ')).toBe(slugKey('σίσυφος'))
    expect(slugKey('A-b_9')).toBe('a-b_9')
  })
})

describe('a chosen slug', () => {
  test.each([
    ...['a', 'Summer-Sale_2026', 'ürün', 'फ़ैशन', '夏', '٣', 'x'.repeat(128), 'v1.2~beta', '-', '~'],
    ...['😀', '❤', '❤️', '👩‍👩‍👧‍👦', '👍🏽', '🇩🇪', '1️⃣', 'go🚀now', '☀️/summer', '...', '.a', 'a.'],
    ...['a/b', 'docs/v1.2/how-to~1', '1/2/3/4/5/6/7/8', `a/${'x'.repeat(126)}`, 'Straße/Ω'],
  ])('may be %s', (text) => {
    expect(code(text)).toEqual({ slug: text.normalize('NFC'), key: slugKey(text) })
  })

  test('is kept in NFC', () => {
    expect(code('Cafe\u0301')).toEqual({ slug: 'Café', key: 'café' })
  })

  test('has no other characters', () => {
    for (const text of ['a b', 'a:b', 'a?b', 'a+', '#️⃣', 'a\0', '\ud800', '\u0301a', 'a%20', '½']) {
      expect(code(text)).toBe('INVALID_SLUG')
    }
  })

  test('has up to eight segments, none of them empty or one that browsers resolve', () => {
    for (const text of ['/a', 'a/', 'a//b', '/', '.', '..', 'a/.', './a', 'a/../b', 'a/\u0301b']) {
      expect(code(text)).toBe('INVALID_SLUG')
    }
    expect(code('1/2/3/4/5/6/7/8/9')).toBe('INVALID_SLUG')
  })

  test('has no invisible characters', () => {
    // A variation selector without an emoji, two fillers (letters by Unicode), a grapheme joiner, a zero-width one.
    for (const invisible of ['\ufe0f', '\u3164', '\u115f', '\u034f', '\u200d']) {
      expect(code(`a${invisible}b`)).toBe('INVALID_SLUG')
    }
  })

  test('has 1 to 128 characters, counted in code points', () => {
    expect(code('')).toBe('TOO_SHORT')
    expect(code('x'.repeat(129))).toBe('TOO_LONG')
    expect(code('𐐷'.repeat(128))).toMatchObject({ slug: '𐐷'.repeat(128) })
    expect(code('𐐷'.repeat(129))).toBe('TOO_LONG')
  })

  test('begins with no reserved segment on the instance’s own host, in any case', () => {
    for (const text of [
      'api',
      'API',
      'Docs/a',
      'ＡＰＩ',
      'ａｐｉ',
      '𝐀𝐩𝐢/v1',
      'ſtatus',
      'robots.txt',
    ]) {
      expect(isReserved(text, 0)).toBe(true)
      expect(isReserved(text, 1)).toBe(false)
      expect(isReserved(`a/${text}`, 0)).toBe(false)
    }
    for (const key of RESERVED_SEGMENTS) expect(slugKey(key)).toBe(key)
  })

  test('is never below .well-known, where authorities check who has the host', () => {
    for (const text of ['.well-known', '.Well-Known/acme-challenge/x', '.ｗell-known/x']) {
      expect(code(text)).toBe('SLUG_RESERVED')
    }
    expect(code('a/.well-known')).toMatchObject({ key: 'a/.well-known' })
  })
})

describe('a generated slug', () => {
  test('has no ambiguous characters', () => {
    for (const letter of '0o1li') expect(SLUG_ALPHABET).not.toContain(letter)
  })
})

test('alternatives are valid slugs, however long the taken one is', () => {
  const long = 'x'.repeat(126)
  for (const slug of [
    'a',
    `${long}xx`,
    '𐐷'.repeat(128),
    'a/b',
    `${long}/a`,
    `a/${long}`,
    '👍🏽'.repeat(64),
  ]) {
    for (const segments of [1, 8]) {
      for (const other of alternatives(slug, systemRandom, segments)) {
        expect(parseSlug(other.slug)).toEqual(other)
      }
    }
  }
  expect(alternatives('a/b/c', systemRandom, 1)[0]?.slug).toBe('a-2/b/c')
  expect(alternatives('a/b/c', systemRandom)[0]?.slug).toBe('a/b/c-2')
})

describe('an alias', () => {
  const domains = {
    usableBy(_: unknown, host: string) {
      const no = ({ 's.example': 0, 'go.example': 1 } as Record<string, number>)[host]
      return no === undefined ? 'unknown' : { no }
    },
    knows: (host: string) => /^(?:s|go|old)\.example$/.test(host),
    hostOf: (no: number) => ['s.example', 'go.example', 'old.example'][no] as string,
  } as unknown as Domains
  const read = (text: string) => {
    const alias = checkAlias(text, domains, null)
    return alias instanceof ValidationIssue ? alias.code : alias
  }

  test('is on the host of its first segment, else on the link’s own', () => {
    expect(read('a/b')).toEqual({ slug: 'a/b', key: 'a/b' })
    expect(read('v1.2/notes')).toEqual({ slug: 'v1.2/notes', key: 'v1.2/notes' })
    expect(read('go.example/a/b')).toEqual({ slug: 'a/b', key: 'a/b', domainNo: 1 })
    expect(read('go.example')).toEqual({ slug: 'go.example', key: 'go.example' })
    expect(read('old.example/a')).toBe('UNKNOWN_DOMAIN')
    expect(read('s.example/go.example/a')).toEqual({
      slug: 'go.example/a',
      key: 'go.example/a',
      domainNo: 0,
    })
    expect(read('go.example/')).toBe('TOO_SHORT')
  })

  test('is formatted so that it is parsed to the same', () => {
    const segment = fc.constantFrom('a', 'go.example', 's.example', 'v1.2', '😀')
    const slugs = fc.array(segment, { minLength: 1, maxLength: 4 }).map((all) => all.join('/'))
    fc.assert(
      fc.property(slugs, fc.nat(1), fc.nat(1), (slug, domainNo, ownNo) => {
        const back = read(
          formatAlias({ slug, domainNo }, { domain_no: ownNo, workspace_no: 1 }, domains),
        )
        expect(back).toMatchObject({ slug })
        expect((back as { domainNo?: number }).domainNo ?? ownNo).toBe(domainNo)
      }),
    )
  })
})

test('the key of the first segments is a prefix of the key', () => {
  fc.assert(
    fc.property(fc.array(letters, { minLength: 2, maxLength: 5 }), (parts) => {
      const names = parts.map((part) => part.replaceAll('/', ''))
      const key = slugKey(names.join('/'))
      expect(key).toBe(names.map((name) => slugKey(name)).join('/'))
    }),
  )
})

describe('joiners where a script needs them (RFC 5892, appendix A)', () => {
  test.each([
    'نامه\u200cای',
    'می\u200cخواهم/خانه\u200cها',
    'क्\u200dष',
    'क्\u200c',
    'ശ്\u200dരീ',
    'ක්\u200dෂ',
    'বি-স্\u200dত',
    'قه\u200cوه-ٔ1',
  ])('%s', (text) => {
    const slug = text.normalize('NFC')
    const plain = slug.replaceAll(/[\u200c\u200d]/g, '')
    // The same link without them: they are invisible, and not on every keyboard.
    expect(parseSlug(text)).toEqual({ slug, key: slugKey(plain) })
    expect(slugKey(slug, true)).toBe(plain)
  })

  test.each([
    'a\u200cb',
    'a\u200d',
    '\u200cا',
    'ا\u200cب',
    'ن\u200c',
    'ن\u200c\u200cا',
    'क\u200dष',
    'ن\u200bا',
    'نا/\u200cا',
    'د\u200d',
    '1\u200c2',
    'न\u0941\u200dन',
  ])('%j is none of these', (text) => {
    expect(parseSlug(text)).toEqual(new ValidationIssue('INVALID_SLUG'))
  })

  test('emoji keep theirs', () => {
    const family = '👨\u200d👩\u200d👧'
    expect(parseSlug(family)).toMatchObject({ slug: family, key: family })
  })
})
