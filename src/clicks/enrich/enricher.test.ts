import { afterAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { isPerson } from '../classify.ts'
import { CLICK_FLAGS, type ClickRecord, RECORD_VERSION } from '../record.ts'
import { createEnricher, visitorOf } from './enricher.ts'

const enricher = createEnricher({ geoipDatabase: null })
afterAll(() => enricher.close())

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const HASH = 'AQIDBAUGBwgJCgsM'

function record(changes: Partial<Record<number, unknown>> = {}): ClickRecord {
  const plain = [RECORD_VERSION, 1_790_000_000_123, 2 ** 32 + 7, 0, HASH, FIREFOX, '5.9.1.0']
  const rest = ['https://www.example.com/a', 'de-DE,en;q=0.5', 0, 'slug', 3]
  return Object.assign([...plain, ...rest], changes) as ClickRecord
}

test('all values of a record', () => {
  const utm = {
    source: ' news\u0007letter ',
    medium: 'E-Mail',
    campaign: 'ä',
    term: ' ',
    content: '1',
  }
  expect(enricher.enrich(record({ 3: CLICK_FLAGS.qr, 9: utm }))).toEqual({
    time: 1_790_000_000_123,
    linkSeq: 2 ** 32 + 7,
    domainNo: 3,
    visitor: 0x0102030405060708n,
    kind: 'human',
    reason: null,
    trigger: 'qr',
    country: 'DE',
    region: null,
    city: null,
    language: 'de',
    referrer: 'example.com',
    referrer_path: '/a',
    device: 'desktop',
    browser: 'Firefox',
    os: 'Linux',
    utm_source: 'news letter',
    utm_medium: 'E-Mail',
    utm_campaign: 'ä',
    utm_term: null,
    utm_content: '1',
    rule: null,
    variant: null,
  })
})

test('an empty record has no values', () => {
  const empty = { 4: '', 5: '', 6: '', 7: '', 8: '' }
  expect(enricher.enrich(record(empty))).toMatchObject({
    visitor: null,
    kind: 'bot',
    reason: 'empty_agent',
    trigger: 'click',
    country: null,
    language: null,
    referrer: null,
    referrer_path: null,
    device: 'bot',
    browser: null,
    os: null,
    utm_source: null,
  })
})

test('a program has its own name', () => {
  const agent =
    'Mozilla/5.0 (Linux; Android 6.0.1) Mobile Safari/537.36 (compatible; Googlebot/2.1)'
  expect(enricher.enrich(record({ 5: agent }))).toMatchObject({
    kind: 'bot',
    reason: 'search_engine',
    device: 'bot',
    browser: 'Googlebot',
    os: null,
  })
})

test('a browser’s prefetch is a preview, by that browser', () => {
  const click = enricher.enrich(record({ 3: CLICK_FLAGS.ahead | CLICK_FLAGS.prerender }))
  expect(click).toMatchObject({ kind: 'preview', reason: 'prerender', browser: 'Firefox' })
})

test('any record becomes a click, of the kind that the counters count', () => {
  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }))
  const utm = fc.oneof(
    fc.constant(0 as const),
    fc.dictionary(fc.constantFrom('source', 'term'), text),
  )
  fc.assert(
    fc.property(
      fc.nat(31),
      text,
      text,
      text,
      text,
      text,
      utm,
      (how, hash, agent, net, from, lang, u) => {
        const click = enricher.enrich(
          record({ 3: how, 4: hash, 5: agent, 6: net, 7: from, 8: lang, 9: u }),
        )
        expect(click.kind === 'human').toBe(isPerson(how, agent))
        expect(click.reason === null).toBe(click.kind === 'human')
      },
    ),
  )
})

test('a human is the first 64 bits of the hash, and never the same visitor as a program', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 12, maxLength: 12 }), (bytes) => {
      const buffer = Buffer.from(bytes)
      const hash = buffer.toString('base64url')
      expect(visitorOf(hash, 'human')).toBe(buffer.readBigUInt64BE())
      expect(visitorOf(hash, 'bot')).not.toBe(visitorOf(hash, 'human'))
      expect(visitorOf(hash, 'bot')).toBe(visitorOf(hash, 'preview'))
    }),
  )
})
