import { describe, expect, test } from 'bun:test'
import IntlMessageFormat from 'intl-messageformat'
import { DETAIL_CODES, DETAILS, ERROR_CODES, ERRORS, type ErrorParam } from '../errors/index.ts'
import { LOCALES, PSEUDO_LOCALES } from './locales.ts'
import { hasMessage, MESSAGE_KEYS, MESSAGES, type MessageKey } from './messages.ts'
import { argumentsOf, isBranching, isLiteral, isPlural, walk } from './testing/ast.ts'
import './testing/pseudo.ts'
import { type MessageParams, translate } from './translate.ts'

const TRANSLATED = LOCALES.filter((locale) => locale !== 'en')
const SAMPLES = { string: 'links:write', number: 3, list: ['GET', 'POST'] } satisfies Record<
  string,
  ErrorParam
>

/** Messages that rightly read as in English: names that are the same word in that language. */
const SAME_AS_ENGLISH: ReadonlySet<string> = new Set([
  ...['de', 'fr', 'es', 'it', 'pt-BR', 'nl', 'pl', 'uk', 'tr'].map((l) => `${l} plan.pro.name`),
  ...['de', 'it'].map((l) => `${l} plan.business.name`),
  'it page.password.label',
])

const parse = (locale: string, source: string) =>
  new IntlMessageFormat(source, locale, undefined, { ignoreTag: true }).getAst()

/** Every argument of a message with how it is formatted: `max plural`, `host plain`. */
function placeholders(locale: string, source: string): string[] {
  const found = new Set<string>()
  walk(parse(locale, source), (element) => {
    if (isPlural(element)) found.add(`${element.value} plural`)
    else if (isBranching(element)) {
      found.add(`${element.value} select ${Object.keys(element.options)}`)
    } else if (!isLiteral(element) && 'value' in element) {
      found.add(`${element.value} ${'style' in element ? 'number' : 'plain'}`)
    }
  })
  return [...found].sort()
}

function samplesFor(key: MessageKey): MessageParams {
  const [namespace, code] = key.split('.') as [string, string]
  const spec: Readonly<Record<string, string>> | undefined =
    namespace === 'error'
      ? ERRORS[code as keyof typeof ERRORS].params
      : namespace === 'detail'
        ? DETAILS[code as keyof typeof DETAILS]
        : undefined
  if (spec === undefined) {
    const rules = { check: 'slug', other: 'rules[0]' }
    const steps = { what: 'X', expected: 'DE', actual: 'US', name: 'a', share: '50%' }
    const mail = { email: 'ann@example.com', workspace: 'Acme', inviter: 'Ada', role: 'admin' }
    const hooks = { endpoint: 'hooks.example.com' }
    const accounts = { ...rules, ...steps, ...mail, ...hooks }
    return { date: 'today', minutes: 3, host: 'example.com', ...accounts }
  }
  return Object.fromEntries(
    Object.entries(spec).map(([name, kind]) => [
      name,
      SAMPLES[kind.replace('?', '') as keyof typeof SAMPLES],
    ]),
  )
}

describe('the error catalogue', () => {
  test('has a message for every code, and no message is for a code that does not exist', () => {
    const codes = [
      ...ERROR_CODES.map((code) => `error.${code}`),
      ...DETAIL_CODES.map((code) => `detail.${code}`),
    ]
    const keys = MESSAGE_KEYS.filter((key) => /^(error|detail)\./.test(key))
    expect([...keys].sort() as string[]).toEqual(codes.sort())
  })

  test('declares exactly the parameters that its messages use', () => {
    for (const key of MESSAGE_KEYS.filter((key) => /^(error|detail)\./.test(key))) {
      const used = argumentsOf(parse('en', MESSAGES.en[key])).all.sort()
      expect([key, ...used]).toEqual([key, ...Object.keys(samplesFor(key)).sort()])
    }
  })

  test('has a branch for each parameter that may be left out, and for no other', () => {
    for (const code of DETAIL_CODES) {
      const spec: Readonly<Record<string, string>> = DETAILS[code]
      const mayBeLeftOut = Object.keys(spec).filter((name) => spec[name]?.endsWith('?'))
      const { optional } = argumentsOf(parse('en', MESSAGES.en[`detail.${code}`]))
      expect([code, ...optional.sort()]).toEqual([code, ...mayBeLeftOut.sort()])
    }
  })

  test('has names and descriptions of the default plans', () => {
    for (const id of ['free', 'pro', 'business', 'unlimited']) {
      expect(hasMessage(`plan.${id}.name`)).toBe(true)
      expect(hasMessage(`plan.${id}.description`)).toBe(true)
    }
    expect(hasMessage('plan.gold.name')).toBe(false)
    expect(hasMessage('toString')).toBe(false)
  })
})

describe.each([...LOCALES])('messages in %s', (locale) => {
  const messages = MESSAGES[locale]

  test('have the keys of English, no more and no fewer, in the same order', () => {
    expect(Object.keys(messages)).toEqual([...MESSAGE_KEYS])
  })

  test('have the placeholders of English, formatted alike', () => {
    for (const key of MESSAGE_KEYS) {
      expect([key, ...placeholders(locale, messages[key])]).toEqual([
        key,
        ...placeholders('en', MESSAGES.en[key]),
      ])
    }
  })

  test('have exactly the plural forms of the language', () => {
    const categories = [...new Intl.PluralRules(locale).resolvedOptions().pluralCategories].sort()
    for (const key of MESSAGE_KEYS) {
      walk(parse(locale, messages[key]), (element) => {
        if (isPlural(element)) {
          expect([key, ...Object.keys(element.options).sort()]).toEqual([key, ...categories])
        }
      })
    }
  })

  test('leave no plural form empty, and show the number wherever a form serves several', () => {
    const several = (category: string) => !['one', 'two'].includes(category) || locale !== 'ar'
    for (const key of MESSAGE_KEYS) {
      walk(parse(locale, messages[key]), (element) => {
        if (!isPlural(element)) return
        for (const [category, option] of Object.entries(element.options)) {
          if (!several(category)) continue
          const shown = option.value.some((inner) => !('value' in inner))
          expect([key, category, shown]).toEqual([key, category, true])
        }
      })
    }
  })

  test('format for sample parameters, whatever the number', () => {
    for (const key of MESSAGE_KEYS) {
      const samples = samplesFor(key)
      for (const number of [0, 1, 2, 3, 5, 11, 100, 1_000_000]) {
        const params = Object.fromEntries(
          Object.entries(samples).map(([n, v]) => [n, typeof v === 'number' ? number : v]),
        )
        const text = translate(locale, key, params)
        expect(text).not.toMatch(/[{}…]|#(?!1a2b3c)|undefined|NaN/)
        expect(text.trim()).not.toBe('')
      }
    }
  })

  test('have clean text: no quoting apostrophes, stray spaces or exclamation marks', () => {
    for (const key of MESSAGE_KEYS) {
      expect([key, messages[key]]).toEqual([key, messages[key].trim().normalize('NFC')])
      expect([key, /'|!|！| {2}/.test(messages[key])]).toEqual([key, false])
    }
  })

  test('keep the technical tokens of English', () => {
    const token =
      /https:\S+?\w(?=[.\s]|$)|\d{4}-\S+Z|RFC 3339|\b(?:[A-Z]\w+-\w+|Authorization|Bearer|ETag|UTF-8|JSON|details|\w+_id)\b/g
    for (const key of MESSAGE_KEYS) {
      for (const word of MESSAGES.en[key].match(token) ?? []) {
        expect([key, word, messages[key].includes(word)]).toEqual([key, word, true])
      }
    }
  })
})

test.each(TRANSLATED)('%s is translated', (locale) => {
  const untranslated = MESSAGE_KEYS.filter(
    (key) => MESSAGES[locale][key] === MESSAGES.en[key] && !SAME_AS_ENGLISH.has(`${locale} ${key}`),
  )
  expect(untranslated).toEqual([])
})

test('the allow-list of messages that equal the English ones is not longer than needed', () => {
  const equal = TRANSLATED.flatMap((locale) =>
    MESSAGE_KEYS.filter((key) => MESSAGES[locale][key] === MESSAGES.en[key]).map(
      (key) => `${locale} ${key}`,
    ),
  )
  expect(equal.sort()).toEqual([...SAME_AS_ENGLISH].sort())
})

test('nobody is advised to leave a field empty: an empty domain is no domain', () => {
  expect(MESSAGES.tr['detail.UNKNOWN_DOMAIN']).not.toMatch(/boş/)
})

describe.each([...PSEUDO_LOCALES])('pseudo-locale %s', (locale) => {
  // Numbers only: values put into placeholders are not text of the message.
  const numbers = (key: MessageKey): MessageParams =>
    Object.fromEntries(Object.keys(samplesFor(key)).map((name) => [name, 3]))

  test('leaves no literal as it was', () => {
    for (const key of MESSAGE_KEYS) {
      const text = translate(locale, key, numbers(key))
      const untouched =
        locale === 'en-XA' ? text : text.replace(/\u200f\u202e[A-Za-z]+\u202c\u200f/g, '')
      expect([key, untouched.match(/[A-Za-z]+/g)]).toEqual([key, null])
    }
  })

  test('keeps values, plural branches and numbers', () => {
    const one = translate(locale, 'error.RATE_LIMITED', { seconds: 1 })
    const many = translate(locale, 'error.RATE_LIMITED', { seconds: 1200 })
    expect(one).toContain('1 ')
    expect(many).toContain('1,200 ')
    expect(many.length).toBeGreaterThan(one.length)
    expect(translate(locale, 'page.continue', { host: 'example.com' })).toContain('example.com')
  })
})

test('en-XA is bracketed and at least a quarter longer than English', () => {
  const text = translate('en-XA', 'error.SLUG_TAKEN')
  expect(text).toMatch(/^\[.*\]$/)
  expect(text.length).toBeGreaterThan(MESSAGES.en['error.SLUG_TAKEN'].length * 1.25)
})
