import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { referrerOf } from './referrer.ts'

test.each([
  ['https://www.example.com/a/b', 'example.com', '/a/b'],
  ['https://Example.COM', 'example.com', '/'],
  ['http://example.com:8080/x', 'example.com', '/x'],
  ['https://example.com./', 'example.com', '/'],
  ['https://m.facebook.com/', 'm.facebook.com', '/'],
  ['https://www.com/', 'www.com', '/'],
  ['https://user:secret@example.com/a', 'example.com', '/a'],
  ['https://bücher.example/ä', 'xn--bcher-kva.example', '/%C3%A4'],
  ['https://192.0.2.1/', '192.0.2.1', '/'],
  ['https://[2001:db8::1]/', '[2001:db8::1]', '/'],
  ['android-app://com.reddit.frontpage/', 'com.reddit.frontpage', null],
  ['android-app://com.google.android.gm', 'com.google.android.gm', null],
  ['', null, null],
  ['about:client', null, null],
  ['example.com', null, null],
  ['javascript:alert(1)', null, null],
  ['data:text/html,x', null, null],
  ['android-app://<b>/', null, null],
  ['https://', null, null],
])('of %j it is %j and %j', (text, host, path) => {
  expect(referrerOf(text)).toEqual({ host, path })
})

test('never throws, and is bounded', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), fc.webUrl()), (text) => {
      const { host, path } = referrerOf(text)
      expect((host ?? '').length).toBeLessThanOrEqual(255)
      expect((path ?? '').length).toBeLessThanOrEqual(512)
      if (host === null) expect(path).toBeNull()
    }),
  )
})
