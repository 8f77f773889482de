import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { fromQrCode, withoutQrMarker } from './target.ts'

test.each([
  ['', '', false],
  ['?', '?', false],
  ['?qr=1', '', true],
  ['?a=1', '?a=1', false],
  ['?qr=1&a=1', '?a=1', true],
  ['?a=1&qr=1', '?a=1', true],
  ['?a=1&qr=1&b=%2B+%zz', '?a=1&b=%2B+%zz', true],
  ['?a&&qr=1', '?a&', true],
  ['?qr=1&qr=1', '', true],
  ['?qr=2', '?qr=2', false],
  ['?qr=10', '?qr=10', false],
  ['?qr=1=1', '?qr=1=1', false],
  ['?xqr=1', '?xqr=1', false],
  ['?QR=1', '?QR=1', false],
  ['?q%72=1', '?q%72=1', false],
  ['?qr', '?qr', false],
  ['?qr=', '?qr=', false],
  ['?a=qr=1', '?a=qr=1', false],
  ['??qr=1', '??qr=1', false],
])('of %j there remains %j', (search, rest, marked) => {
  expect(withoutQrMarker(search)).toBe(rest)
  expect(fromQrCode(`https://sho.rt/a${search}`)).toBe(marked)
})

test.each(['https://sho.rt/qr=1', 'https://qr=1.sho.rt/a', '/qr=1'])('%s is not marked', (url) => {
  expect(fromQrCode(url)).toBe(false)
})

const part = fc.oneof(
  fc.constantFrom('', 'qr', 'qr=', 'qr=1x', 'QR=1', 'a=1', 'a=qr=1', '%71r=1', 'utm_source=x+y'),
  fc.stringMatching(/^[!-%'-~]{0,12}$/),
)

test('the marker is removed in any position, and everything else stays byte for byte', () => {
  fc.assert(
    fc.property(
      fc.array(
        part.filter((text) => text !== 'qr=1'),
        { minLength: 1, maxLength: 6 },
      ),
      fc.nat(),
      (parts, at) => {
        const search = `?${parts.join('&')}`
        expect(withoutQrMarker(search)).toBe(search)
        expect(fromQrCode(`https://sho.rt/a${search}`)).toBe(false)
        const marked = `?${parts.toSpliced(at % (parts.length + 1), 0, 'qr=1').join('&')}`
        expect(withoutQrMarker(marked)).toBe(search)
        expect(fromQrCode(`https://sho.rt/a${marked}`)).toBe(true)
      },
    ),
  )
})
