import fc from 'fast-check'
import type { Rule, Variant, When } from '../types.ts'

/** User agents, with their known properties. */
export const AGENTS = [
  {
    text: 'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1',
    kind: 'human',
    device: 'mobile',
    os: 'iOS',
    osVersion: 17.04,
    browser: 'Safari',
    browserVersion: 17.04,
  },
  {
    text: 'Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Mobile Safari/537.36',
    kind: 'human',
    device: 'mobile',
    os: 'Android',
    osVersion: 14,
    browser: 'Chrome',
    browserVersion: 124,
  },
  {
    text: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:125.0) Gecko/20100101 Firefox/125.0',
    kind: 'human',
    device: 'desktop',
    os: 'Windows',
    osVersion: 10,
    browser: 'Firefox',
    browserVersion: 125,
  },
  {
    text: 'Mozilla/5.0 (Windows NT 6.1; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/109.0.0.0 Safari/537.36 Edg/109.0.1518.78',
    kind: 'human',
    device: 'desktop',
    os: 'Windows',
    osVersion: 7,
    browser: 'Edge',
    browserVersion: 109,
  },
  {
    text: 'Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1',
    kind: 'human',
    device: 'tablet',
    os: 'iPadOS',
    osVersion: 16.06,
    browser: 'Safari',
    browserVersion: 16.06,
  },
  {
    text: 'Mozilla/5.0 (Linux; Android 13; SM-S901B) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/120.0.0.0 Mobile Safari/537.36 Instagram 312.1.0.34.111 Android',
    kind: 'human',
    device: 'mobile',
    os: 'Android',
    osVersion: 13,
    browser: 'Instagram',
    browserVersion: 312.01,
  },
  {
    text: 'Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0.4606.128 Safari/537.36 WebAppManager',
    kind: 'human',
    device: 'tv',
    os: 'webOS',
    osVersion: null,
    browser: 'webOS Browser',
    browserVersion: null,
  },
  {
    text: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    kind: 'bot',
    device: 'other',
    os: null,
    osVersion: null,
    browser: 'Googlebot',
    browserVersion: 0,
  },
  {
    text: 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)',
    kind: 'preview',
    device: 'other',
    os: null,
    osVersion: null,
    browser: 'Slackbot-LinkExpanding',
    browserVersion: 0,
  },
] as const

/** Networks, with their places. */
export const PLACES: Readonly<Record<string, { country: string | null; region: string | null }>> = {
  '5.1.1.0': { country: 'DE', region: 'DE-BE' },
  '5.1.2.0': { country: 'DE', region: 'DE-BY' },
  '8.1.1.0': { country: 'US', region: 'US-CA' },
  '9.1.1.0': { country: null, region: null },
  '2a01:4f8:1::': { country: 'AT', region: null },
}
const ADDRESSES = ['5.1.1.7', '5.1.1.200', '5.1.2.3', '8.1.1.9', '9.1.1.1', '2a01:4f8:1::5']
const LANGUAGES = [
  ['de', 'de'],
  ['de-AT,de;q=0.9,en;q=0.8', 'de-AT'],
  ['en;q=0.5, fr-CA', 'fr-CA'],
  ['zh-TW', 'zh-TW'],
  ['nb,en;q=0.5', 'nb'],
  ['nn', 'nn'],
  ['no', 'no'],
  ['', null],
] as const

/** A visitor, in the terms of the API. */
export interface DescribedVisitor {
  now: number
  agent: (typeof AGENTS)[number]
  language: (typeof LANGUAGES)[number]
  parameters: [name: string, value: string][]
  referrer: string
  address: string
}

// Around the start of daylight saving time in Berlin, on 29 March 2026.
const FIRST = Date.parse('2026-03-27T00:00:00Z')

/** Random visitors. */
export const visitor: fc.Arbitrary<DescribedVisitor> = fc.record({
  now: fc.integer({ min: FIRST, max: FIRST + 5 * 86_400_000 }),
  agent: fc.constantFrom(...AGENTS),
  language: fc.constantFrom(...LANGUAGES),
  parameters: fc.array(fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('1', '2', '')), {
    maxLength: 3,
  }),
  referrer: fc.constantFrom(
    '',
    'https://www.example.com/x?y',
    'https://news.example.com/',
    'http://example.org',
    'android-app://com.slack/',
  ),
  address: fc.constantFrom(...ADDRESSES),
})

const some = <T>(...values: T[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1 })
const named = (name: fc.Arbitrary<string>, min: fc.Arbitrary<string>) =>
  fc.array(fc.oneof(name, fc.record({ name, min })), { minLength: 1, maxLength: 3 })

const conditions = {
  country: some('DE', 'US', 'AT'),
  region: some('DE-BE', 'DE-BY', 'US-CA'),
  language: some('de', 'de-AT', 'fr', 'zh-Hant', 'zh', 'no', 'nb', 'nn'),
  device: some(
    'mobile' as const,
    'tablet' as const,
    'desktop' as const,
    'tv' as const,
    'other' as const,
  ),
  os: named(
    fc.constantFrom('iOS', 'Android', 'Windows', 'iPadOS'),
    fc.constantFrom('7', '10', '13', '14', '17.4'),
  ),
  browser: named(
    fc.constantFrom('Safari', 'chrome', 'Firefox', 'Edge', 'Instagram', 'Googlebot'),
    fc.constantFrom('17', '110', '125', '312.1'),
  ),
  query: fc.dictionary(
    fc.constantFrom('a', 'b'),
    fc.constantFrom(['1'], ['1', '2'], ['*'], [], ['']),
    { minKeys: 1 },
  ),
  referrer_host: some('example.com', '*.example.com', 'example.org', 'com.slack'),
  network: some('5.1.1.0/24', '5.0.0.0/8', '8.1.1.9/32', '2a01:4f8::/32', '0.0.0.0/0'),
  time: fc.record(
    {
      timezone: fc.constantFrom('UTC', 'Europe/Berlin'),
      from: fc.constantFrom('2026-03-28', '2026-03-28T12:00:00Z'),
      until: fc.constantFrom('2026-03-29', '2026-03-30T01:00:00+02:00'),
      days: some('sat' as const, 'sun' as const, 'mon' as const),
      hours: fc.constantFrom<[string, string][]>(
        [['09:00', '17:30']],
        [['22:00', '06:00']],
        [['00:00', '05:00']],
        [['23:00', '04:00']],
        [
          ['00:00', '01:00'],
          ['02:30', '24:00'],
        ],
      ),
    },
    { requiredKeys: ['timezone'] },
  ),
  agent: fc.oneof(
    fc.constantFrom('human' as const, 'bot' as const),
    some('bot' as const, 'preview' as const),
  ),
}

/** Random conditions of rules, plain or negated. */
export const when: fc.Arbitrary<When> = fc
  .uniqueArray(
    fc.oneof(
      ...Object.entries(conditions).flatMap(([member, values]) =>
        [member, `not_${member}`].map((name) =>
          (values as fc.Arbitrary<unknown>).map((value) => [name, value] as const),
        ),
      ),
    ),
    { maxLength: 3, selector: ([name]) => name },
  )
  .map((members) => Object.fromEntries(members) as When)

const url = fc.nat(30).map((n) => `https://d${n}.example/ä?x`)

/** Random variants, with ids. */
export const variants: fc.Arbitrary<Variant[]> = fc
  .array(fc.record({ destination_url: url, weight: fc.integer({ min: 1, max: 10 }) }), {
    minLength: 2,
    maxLength: 5,
  })
  .map((list) => list.map((each, i) => ({ id: `v${i}`, ...each })))

const then: fc.Arbitrary<Rule['then']> = fc.oneof(
  { weight: 4, arbitrary: url.map((destination_url) => ({ destination_url })) },
  { weight: 2, arbitrary: variants.map((list) => ({ variants: list })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('fallback' as const, 'not_found' as const, 'gone' as const)
      .map((answer) => ({ answer })),
  },
)

/** Random rules, with ids. */
export const rules: fc.Arbitrary<Rule[]> = fc
  .array(fc.record({ when, then }), { maxLength: 6 })
  .map((list) => list.map((each, i) => ({ id: `r${i}`, ...each })))
