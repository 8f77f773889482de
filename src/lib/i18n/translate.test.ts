import { describe, expect, test } from 'bun:test'
import { direction, formatDateTime, isSupportedLocale, translate } from './index.ts'
import { LOCALES } from './locales.ts'

describe('translate', () => {
  test('follows the plural rules of the language', () => {
    const wait = (seconds: number) => translate('pl', 'error.RATE_LIMITED', { seconds })
    expect(wait(1)).toContain('1 sekundę')
    expect(wait(3)).toContain('3 sekundy')
    expect(wait(5)).toContain('5 sekund.')
    const arabic = (seconds: number) => translate('ar', 'error.RATE_LIMITED', { seconds })
    expect(new Set([0, 1, 2, 3, 11, 100].map(arabic)).size).toBe(6)
  })

  test('formats numbers as the language does', () => {
    expect(translate('de', 'error.PAYLOAD_TOO_LARGE', { max: 65_536 })).toContain('65.536')
    expect(translate('en', 'error.PAYLOAD_TOO_LARGE', { max: 65_536 })).toContain('65,536')
    expect(translate('de', 'detail.OUT_OF_RANGE', { min: 1, max: 1_000 })).toContain('1.000')
  })

  test('joins lists with the word for "or"', () => {
    const allowed = ['GET', 'HEAD', 'POST']
    expect(translate('en', 'error.METHOD_NOT_ALLOWED', { allowed })).toContain('GET, HEAD, or POST')
    expect(translate('de', 'error.METHOD_NOT_ALLOWED', { allowed })).toContain(
      'GET, HEAD oder POST',
    )
    expect(translate('en', 'error.METHOD_NOT_ALLOWED', { allowed: ['GET'] })).toContain('Use GET.')
  })

  test('puts spaces evenly around each item of a list in Chinese and Japanese', () => {
    for (const locale of ['zh-Hans', 'zh-Hant', 'ja'] as const) {
      const text = translate(locale, 'error.METHOD_NOT_ALLOWED', {
        allowed: ['GET', 'PUT', 'POST'],
      })
      for (const item of ['GET', 'PUT', 'POST']) {
        const [, before, after] = new RegExp(`(.)${item}(.)`, 'u').exec(text) as unknown as string[]
        // A space before and after, except next to the language's own punctuation.
        for (const next of [before, after]) expect(next).toMatch(/[ 、，。：；]/u)
      }
    }
  })

  test('inserts values unchanged, including markup and braces', () => {
    const host = '<b>{x}</b> \u202e'
    expect(translate('en', 'page.continue', { host })).toBe(`Continue to ${host}`)
  })

  test('shows a missing parameter as an ellipsis and never throws', () => {
    for (const locale of LOCALES) {
      expect(translate(locale, 'error.RATE_LIMITED')).toContain('…')
      expect(translate(locale, 'page.continue')).toContain('…')
    }
  })

  test('has a text for one bound without the other and for a value without a list', () => {
    const range = (params: Record<string, number>) => translate('en', 'detail.OUT_OF_RANGE', params)
    expect(range({ min: 1, max: 9 })).toBe('Use a number from 1 to 9.')
    expect(range({ min: 1 })).toBe('Use 1 or more.')
    expect(range({ max: 9 })).toBe('Use 9 or less.')
    expect(range({})).toBe('Use … or more.')
    for (const locale of LOCALES) {
      for (const params of [{}, { allowed: ['a', 'b'] }]) {
        expect(translate(locale, 'detail.INVALID_VALUE', params)).not.toMatch(/[{}…]|none/)
      }
      for (const params of [{ min: 1 }, { max: 9 }]) {
        expect(translate(locale, 'detail.OUT_OF_RANGE', params)).not.toMatch(/[{}…]|none/)
      }
    }
  })

  test('ignores parameters that a message does not have', () => {
    expect(translate('en', 'error.NOT_FOUND', { extra: 1 })).toBe(
      translate('en', 'error.NOT_FOUND'),
    )
  })
})

test('direction', () => {
  expect(LOCALES.filter((locale) => direction(locale) === 'rtl')).toEqual(['ar'])
  expect(direction('ar-XB')).toBe('rtl')
  expect(direction('en-XA')).toBe('ltr')
})

test('isSupportedLocale takes exact tags only', () => {
  expect(isSupportedLocale('zh-Hant')).toBe(true)
  for (const tag of ['zh', 'zh-hant', 'en-XA', '', '__proto__']) {
    expect(isSupportedLocale(tag)).toBe(false)
  }
})

test('formatDateTime names the zone', () => {
  const date = new Date('2030-01-31T09:05:00Z')
  for (const locale of LOCALES) {
    expect(formatDateTime(locale, date)).toMatch(/2030/)
    expect(formatDateTime(locale, date)).toContain('05')
    expect(formatDateTime(locale, date)).toMatch(/UTC|جرينتش|العالمي/)
  }
  expect(formatDateTime('de', date, 'Europe/Berlin')).toContain('10:05 MEZ')
})
