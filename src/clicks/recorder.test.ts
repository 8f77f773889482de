import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { classify, isPerson } from './classify.ts'
import { CLICK_FLAGS, type ClickRecord, decodeRecord } from './record.ts'
import { createRecorder } from './recorder.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** The record of a visit. */
function recorded(
  sent: Record<string, string>,
  { url = 'http://sho.rt/a', address = '203.0.113.77', how = 0 } = {},
): ClickRecord {
  const lines: string[] = []
  const hashed = { hash: () => 'h'.repeat(16), close() {} }
  const recorder = createRecorder({ append: (text) => void lines.push(text) }, hashed)
  const headers = new Headers({ 'user-agent': FIREFOX, ...sent })
  recorder.add({ slugKey: 'a', domainNo: 0, headers, url, address }, 7, 1_000, how)
  recorder.commit()
  return decodeRecord(lines.join('').slice(0, -1)) as ClickRecord
}

const referrer = (value: string, url?: string) =>
  recorded({ referer: value }, url === undefined ? {} : { url })[7]

test.each([
  ['https://example.com/a?token=x#y', 'https://example.com/a'],
  ['https://example.com/a#y?z', 'https://example.com/a'],
  ['android-app://com.example/', 'android-app://com.example/'],
  ['https://sho.rt/a?qr=1', ''],
  ['http://sho.rt/a+', ''],
  ['https://sho.rt', ''],
  ['https://sho.rt.example/', 'https://sho.rt.example/'],
  ['https://sho.rt:8443/', 'https://sho.rt:8443/'],
  ['https://example.com/?u=https://sho.rt/', 'https://example.com/'],
])('the referrer %s is kept as %j', (sent, kept) => {
  expect(referrer(sent)).toBe(kept)
})

test('a visit without a host keeps its referrer', () => {
  expect(referrer('https://example.com/a', '/a?utm_source=x')).toBe('https://example.com/a')
})

test.each([
  ['203.0.113.77', '203.0.113.0'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1::'],
  ['::ffff:203.0.113.77', '::'],
  ['', ''],
])('of the address %j there remains %j', (address, kept) => {
  expect(recorded({}, { address })[6]).toBe(kept)
})

test('visitors who ask not to be tracked have no hash', () => {
  expect(recorded({})[4]).not.toBe('')
  expect(recorded({ dnt: '1' })[4]).toBe('')
  expect(recorded({ 'sec-gpc': '1' })[4]).toBe('')
})

test('all five utm parameters, decoded, and no others', () => {
  const query = 'utm_source=a+b&utm_medium=%C3%A4&utm_campaign=c&utm_term=t&utm_content=x&utm_id=9'
  const utm = { source: 'a b', medium: 'ä', campaign: 'c', term: 't', content: 'x' }
  expect(recorded({}, { url: `http://sho.rt/a?${query}` })[9]).toEqual(utm)
  expect(recorded({}, { url: 'http://sho.rt/a?utm_source=' })[9]).toBe(0)
})

test.each([
  [{ 'sec-purpose': 'prefetch;prerender' }, CLICK_FLAGS.ahead | CLICK_FLAGS.prerender],
  [{ 'x-moz': 'prefetch' }, CLICK_FLAGS.ahead],
  [{ 'x-purpose': 'preview' }, CLICK_FLAGS.ahead | CLICK_FLAGS.preview],
  [{}, 0],
])('%j is taken down', (sent, bits) => {
  expect(recorded(sent as Record<string, string>, { how: CLICK_FLAGS.qr })[3]).toBe(
    CLICK_FLAGS.qr | bits,
  )
})

test('the classification before the answer is that of the record', () => {
  const agent = fc.oneof(
    fc.constantFrom(`${FIREFOX} ${'x'.repeat(600)} Googlebot/2.1`, FIREFOX, 'curl/8.5.0', ''),
    fc.stringMatching(/^[ -~]{0,700}$/),
  )
  const purpose = fc.constantFrom('', 'prefetch', 'prefetch;prerender', 'preview', 'other')
  const hashed = { hash: () => '', close() {} }
  const recorder = createRecorder({ append() {} }, hashed)
  fc.assert(
    fc.property(agent, purpose, (userAgent, value) => {
      const sent = { 'user-agent': userAgent, 'sec-purpose': value }
      const record = recorded(sent)
      const decided = recorder.isPerson(new Headers(sent))
      expect(isPerson(record[3], record[5])).toBe(decided)
      expect(classify(record[3], record[5]).kind === 'human').toBe(decided)
    }),
  )
})
