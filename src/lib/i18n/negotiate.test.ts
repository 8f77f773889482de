import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isSupportedLocale, LOCALES, type Locale } from './locales.ts'
import { negotiateLocale } from './negotiate.ts'

const accept = (acceptLanguage: string, fallback?: Locale) =>
  negotiateLocale({ acceptLanguage, fallback })

describe('negotiateLocale', () => {
  test('takes ?lang= before the header before the fallback before English', () => {
    expect(negotiateLocale({ query: 'fr', acceptLanguage: 'de', fallback: 'it' })).toBe('fr')
    expect(negotiateLocale({ query: 'xx', acceptLanguage: 'de', fallback: 'it' })).toBe('de')
    expect(negotiateLocale({ query: '', acceptLanguage: 'xx', fallback: 'it' })).toBe('it')
    expect(negotiateLocale({ query: null, acceptLanguage: null, fallback: null })).toBe('en')
    expect(negotiateLocale({})).toBe('en')
  })

  test.each([
    ['de', 'de'],
    ['DE-at', 'de'],
    ['de-DE-1996', 'de'],
    ['de-DE-u-co-phonebk', 'de'],
    ['en-GB', 'en'],
    ['pt', 'pt-BR'],
    ['pt-PT', 'pt-BR'],
    ['zh', 'zh-Hans'],
    ['zh-CN', 'zh-Hans'],
    ['zh-SG', 'zh-Hans'],
    ['zh-TW', 'zh-Hant'],
    ['zh-HK', 'zh-Hant'],
    ['zh-MO', 'zh-Hant'],
    ['zh-Hant-HK', 'zh-Hant'],
    ['zh-Hans-HK', 'zh-Hans'],
    ['cmn-Hant', 'zh-Hant'],
    ['yue', 'zh-Hant'],
    ['zh_TW', 'zh-Hant'],
    ['gsw', 'de'],
    ['ca', 'es'],
    ['zh-abcdefgh-abcdefgh-abcdefgh', 'zh-Hans'],
  ])('?lang=%s is answered in %s', (query, expected) => {
    expect(negotiateLocale({ query })).toBe(expected as Locale)
  })

  test.each([
    ['de;q=0.5, fr;q=0.9', 'fr'],
    ['de, fr', 'de'],
    ['en;q=0.1, ja, ko;q=0.5;x=1, fr, de;q=0', 'ja'],
    ['xx, yy;q=0.9, ko;q=0.1', 'ko'],
    ['fr;q=0.8,zh-TW', 'zh-Hant'],
    ['  DE-AT ; q=0.9 , en;q=0.1', 'de'],
    ['fr-CH, fr;q=0.9, en;q=0.8, de;q=0.7, *;q=0.5', 'fr'],
    ['de;q=0, fr;q=0.1', 'fr'],
    ['de, de;q=0', 'de'],
    ['fr;q=2, de;q=0.1', 'de'],
    ['fr;q=abc, de;q=0.1', 'de'],
    ['fr;q=, de;q=0.1', 'de'],
    ['fr;q=-1, de;q=0.1', 'de'],
    [', ,;q=1,de', 'de'],
    ['zh;q=0, zh-Hant;q=0.5', 'zh-Hant'],
    ['ru', 'en'],
    ['sr', 'en'],
    ['und', 'en'],
    ['und, de;q=0.1', 'de'],
    // An exact match wins over a near one, whatever the weights.
    ['ca, fr;q=0.1', 'fr'],
    ['gsw, ca;q=0.9', 'de'],
    ['sw, is;q=0.9, ko;q=0.1', 'ko'],
    ['ca, es;q=0', 'en'],
    ['ca, gsw;q=0.5, es;q=0', 'de'],
  ])('Accept-Language: %s is answered in %s', (header, expected) => {
    expect(accept(header)).toBe(expected as Locale)
    expect(accept(header)).toBe(expected as Locale)
  })

  test('a near language ranks after exact matches and before the fallback', () => {
    expect(negotiateLocale({ query: 'ca', acceptLanguage: 'fr', fallback: 'it' })).toBe('fr')
    expect(negotiateLocale({ query: 'ca', acceptLanguage: 'xx', fallback: 'it' })).toBe('es')
    expect(negotiateLocale({ query: 'ca', acceptLanguage: 'gsw', fallback: 'it' })).toBe('es')
    expect(negotiateLocale({ query: 'ca', acceptLanguage: 'es;q=0', fallback: 'it' })).toBe('it')
    expect(accept('ca', 'it')).toBe('es')
    // A language without a neighbour other than English is treated as unknown.
    expect(negotiateLocale({ query: 'eo', acceptLanguage: 'de' })).toBe('de')
    expect(accept('eo', 'it')).toBe('it')
  })

  test('* means the fallback, or else English, unless that was refused', () => {
    expect(accept('*')).toBe('en')
    expect(accept('*', 'ja')).toBe('ja')
    expect(accept('xx, *;q=0.1', 'ja')).toBe('ja')
    expect(accept('ja;q=0, *', 'ja')).toBe('en')
    expect(accept('en;q=0, *')).toBe('de')
    expect(accept('en;q=0, de;q=0, *')).toBe('fr')
  })

  test('a refused language is used only when no other is left', () => {
    expect(accept('ja;q=0', 'ja')).toBe('en')
    expect(accept('zh;q=0', 'zh-Hans')).toBe('en')
    // No language is left; the answer is never 406.
    expect(accept('en;q=0')).toBe('en')
    expect(accept('*;q=0', 'ja')).toBe('ja')
  })

  test('the header is read without the fallback', () => {
    expect(accept('tlh, *', 'ja')).toBe('ja')
    expect(accept('tlh, *', 'ko')).toBe('ko')
  })

  test('pseudo-locales exist only where they are enabled', () => {
    expect(negotiateLocale({ query: 'en-XA' })).toBe('en')
    expect(negotiateLocale({ acceptLanguage: 'ar-XB' })).toBe('ar')
    expect(negotiateLocale({ query: 'en-xa', pseudoLocales: true })).toBe('en-XA')
    expect(negotiateLocale({ acceptLanguage: 'ar-XB', pseudoLocales: true })).toBe('ar-XB')
    expect(negotiateLocale({ acceptLanguage: 'ar-XB' })).toBe('ar')
  })

  test('a long header is cheap and cut, not refused', () => {
    expect(accept(`de, ${'x'.repeat(100_000)}`)).toBe('de')
    expect(accept(`${'xx,'.repeat(10_000)}de`)).toBe('en')
  })

  test('any input yields a supported locale', () => {
    const tagLike = fc.stringMatching(/^[a-zA-Z0-9*;=,._ -]{0,60}$/)
    const text = fc.option(fc.oneof(fc.string({ unit: 'binary' }), tagLike))
    const fallback = fc.option(fc.constantFrom(...LOCALES))
    fc.assert(
      fc.property(text, text, fallback, (query, acceptLanguage, fallback) => {
        const locale = negotiateLocale({ query, acceptLanguage, fallback })
        return isSupportedLocale(locale)
      }),
      { numRuns: 2_000 },
    )
  })

  test('every supported language is found by its own tag, at any weight, in any case', () => {
    const weight = fc.integer({ min: 1, max: 1_000 }).map((n) => (n / 1_000).toFixed(3))
    fc.assert(
      fc.property(fc.constantFrom(...LOCALES), weight, fc.boolean(), (locale, q, upper) => {
        const tag = upper ? locale.toUpperCase() : locale
        return (
          accept(`${tag};q=${q}`, 'tr') === locale && negotiateLocale({ query: tag }) === locale
        )
      }),
    )
  })
})
