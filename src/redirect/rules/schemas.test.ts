import { describe, expect, test } from 'bun:test'
import { z } from '@hono/zod-openapi'
import fc from 'fast-check'
import { detailsOfZodError } from '../../http/details.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { createRuleFields } from './schemas.ts'
import { rules, variants } from './testing/world.ts'

const fields = createRuleFields((url) => {
  if (!url.startsWith('https://')) return new ValidationIssue('INVALID_URL')
  return url.includes('own.example') ? new ValidationIssue('URL_LOOPS_BACK') : url
})
const body = z.strictObject(z.object(fields).partial().shape)

/** Every fault as `path: CODE`, or nothing. */
function faultsOf(input: object): string[] {
  const result = body.safeParse(input)
  if (result.success) return []
  return detailsOfZodError(result.error, input, body).map(({ field, code }) => `${field}: ${code}`)
}
const when = (conditions: object) =>
  faultsOf({ rules: [{ when: conditions, then: { answer: 'gone' } }] }).map((fault) =>
    fault.replace('rules[0].when.', ''),
  )
const OK = { answer: 'gone' }

test('reports all faults together, each with its path', () => {
  const faults = faultsOf({
    rules: [
      { id: 'same', when: { country: ['xx', 'DE'], planet: ['Mars'] }, then: {} },
      {
        id: 'a b',
        name: '',
        when: { not_network: ['10.0.0.0/33'], os: ['iOS', 'Beos', { name: 'iOS', min: 'new' }] },
        then: { destination_url: 'ftp://a', answer: 'gone' },
      },
      { id: 'same', when: { agent: 'robot', device: [] }, then: { answer: 'nothing' } },
      {
        when: { time: { timezone: 'Mars/Base', days: ['monday'], hours: [['9:00', '25:00'], []] } },
        then: {
          variants: [
            { id: 'v', destination_url: 'https://own.example', weight: 0 },
            { id: 'v', destination_url: 'https://b.example', weight: 10_001 },
          ],
        },
      },
      {},
      'rule',
    ],
    variants: [{ destination_url: 'https://a.example', weight: 1.5, color: 'red' }],
  })
  expect(faults.sort()).toEqual(
    [
      'rules[0].when.country[0]: INVALID_VALUE',
      'rules[0].when.planet: UNKNOWN_FIELD',
      'rules[0].then: REQUIRED',
      'rules[1].id: INVALID_CHARACTERS',
      'rules[1].name: TOO_SHORT',
      'rules[1].when.not_network[0]: INVALID_VALUE',
      'rules[1].when.os[1]: INVALID_VALUE',
      'rules[1].when.os[2].min: INVALID_VALUE',
      'rules[1].then.destination_url: INVALID_URL',
      'rules[1].then.answer: CONFLICTING_PARAMETERS',
      'rules[2].id: DUPLICATE_VALUE',
      'rules[2].when.agent: INVALID_VALUE',
      'rules[2].when.device: TOO_FEW',
      'rules[2].then.answer: INVALID_VALUE',
      'rules[3].when.time.timezone: INVALID_TIMEZONE',
      'rules[3].when.time.days[0]: INVALID_VALUE',
      'rules[3].when.time.hours[0][0]: INVALID_VALUE',
      'rules[3].when.time.hours[0][1]: INVALID_VALUE',
      'rules[3].when.time.hours[1]: TOO_FEW',
      'rules[3].then.variants[0].destination_url: URL_LOOPS_BACK',
      'rules[3].then.variants[0].weight: OUT_OF_RANGE',
      'rules[3].then.variants[1].id: DUPLICATE_VALUE',
      'rules[3].then.variants[1].weight: OUT_OF_RANGE',
      'rules[4].when: REQUIRED',
      'rules[4].then: REQUIRED',
      'rules[5]: INVALID_TYPE',
      'variants[0].weight: INVALID_TYPE',
      'variants[0].color: UNKNOWN_FIELD',
    ].sort(),
  )
})

test('an object is not accepted for a list, nor a list for an object', () => {
  expect(faultsOf({ rules: {}, variants: {} })).toEqual([
    'rules: INVALID_TYPE',
    'variants: INVALID_TYPE',
  ])
  expect(
    faultsOf({
      rules: [
        { when: {}, then: [] },
        { when: [], then: { variants: {} } },
      ],
    }),
  ).toEqual([
    'rules[0].then: INVALID_TYPE',
    'rules[1].when: INVALID_TYPE',
    'rules[1].then.variants: INVALID_TYPE',
  ])
})

describe('conditions', () => {
  test.each([
    [{ country: ['DE', 'de'] }, []],
    [{ region: ['DE-BE', 'DEBE'] }, ['region[1]: INVALID_VALUE']],
    [{ language: ['de-AT', 'deutsch!'] }, ['language[1]: INVALID_VALUE']],
    [
      { referrer_host: ['*.a.example', 'a.example/x', '*'] },
      [1, 2].map((i) => `referrer_host[${i}]: INVALID_VALUE`),
    ],
    [
      { network: ['192.0.2.1', '2001:db8::/32', '017.0.0.1', '1.2.3'] },
      [2, 3].map((i) => `network[${i}]: INVALID_VALUE`),
    ],
    [{ query: {} }, ['query: REQUIRED']],
    [{ query: { a: 'b' } }, ['query.a: INVALID_TYPE']],
    [{ agent: ['human', 'bot'] }, []],
    [{ time: { timezone: 'UTC', from: '2026-02-30' } }, ['time.from: INVALID_TIMESTAMP']],
    [
      { time: { timezone: 'UTC', from: '2026-03-01', until: '2026-02-01' } },
      ['time.until: ENDS_BEFORE_START'],
    ],
    // A day is one of its own: both ends belong to it. A moment isn't.
    [{ time: { timezone: 'UTC', from: '2026-03-01', until: '2026-03-01' } }, []],
    [
      { time: { timezone: 'UTC', from: '2026-03-01T10:00:00Z', until: '2026-03-01T10:00:00Z' } },
      ['time.until: ENDS_BEFORE_START'],
    ],
    [
      { time: { timezone: 'UTC', hours: [['09:00', '09:00']] } },
      ['time.hours[0][1]: ENDS_BEFORE_START'],
    ],
    [{ time: { timezone: 'europe/berlin', hours: [['22:00', '06:00']] } }, []],
    [{ country: Array(101).fill('DE') }, ['country: TOO_MANY']],
  ])('%j: %j', (conditions, expected) => {
    expect(when(conditions)).toEqual(expected)
  })

  test('are stored in their canonical form', () => {
    const conditions = {
      country: ['de'],
      region: ['us-ca'],
      language: ['ZH-hant-tw'],
      os: ['ios', { name: 'WINDOWS', min: '10' }],
      network: ['192.0.2.77/24', '2001:DB8::1'],
      referrer_host: ['*.BÜCHER.example.'],
      time: { timezone: 'europe/berlin' },
    }
    const { rules: kept } = body.parse({ rules: [{ when: conditions, then: OK }] })
    expect(kept?.[0]?.when as object).toEqual({
      country: ['DE'],
      region: ['US-CA'],
      language: ['zh-Hant-TW'],
      os: ['iOS', { name: 'Windows', min: '10' }],
      network: ['192.0.2.0/24', '2001:db8::1/128'],
      referrer_host: ['*.xn--bcher-kva.example'],
      time: { timezone: 'Europe/Berlin' },
    })
  })
})

test('bounds: 50 rules, 2 to 20 variants, none for none', () => {
  const rule = { when: {}, then: OK }
  const variant = { destination_url: 'https://a.example', weight: 1 }
  expect(faultsOf({ rules: Array(50).fill(rule) })).toEqual([])
  expect(faultsOf({ rules: Array(51).fill(rule) })).toEqual(['rules: TOO_MANY'])
  expect(faultsOf({ variants: Array(20).fill(variant) })).toEqual([])
  expect(faultsOf({ variants: Array(21).fill(variant) })).toEqual(['variants: TOO_MANY'])
  expect(faultsOf({ variants: [variant] })).toEqual(['variants: TOO_FEW'])
  expect(faultsOf({ variants: [], rules: [] })).toEqual([])
  expect(faultsOf({ rules: [{ when: {}, then: { variants: [] } }] })).toEqual([
    'rules[0].then.variants: TOO_FEW',
  ])
  const long = { when: {}, then: { destination_url: `https://a.example/${'x'.repeat(2_000)}` } }
  expect(faultsOf({ rules: Array(40).fill(long) })).toEqual(['rules: TOO_LONG'])
})

test('missing ids are derived from the content: repeating a request changes nothing', () => {
  const given = {
    rules: [
      { when: { country: ['DE'] }, then: OK },
      { when: { country: ['DE'] }, then: OK },
    ],
    variants: [
      { destination_url: 'https://a.example', weight: 1 },
      { destination_url: 'https://b.example', weight: 1 },
    ],
  }
  const first = body.parse(given)
  expect(body.parse(given)).toEqual(first)
  expect(new Set(first.rules?.map(({ id }) => id)).size).toBe(2)
  const heavier = given.variants.map((each) => ({ ...each, weight: 5 }))
  const ids = (list: { id: string }[] | null | undefined) => list?.map(({ id }) => id)
  expect(ids(body.parse({ variants: heavier }).variants)).toEqual(ids(first.variants) as string[])
})

test('returned values are valid as input', () => {
  fc.assert(
    fc.property(rules, variants, (list, split) => {
      const once = body.parse({ rules: list, variants: split })
      expect(body.parse(JSON.parse(JSON.stringify(once)))).toEqual(once)
    }),
  )
})
