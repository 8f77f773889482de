import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { canonicalHost, enclosingHost } from '../../lib/validation/host.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { createUrlCheck, serializeDestination } from '../../model/links/values.ts'

const BLOCKED = new Set(['evil.example', 'bücher.example'].map(canonicalHost))
const check = createUrlCheck(
  {
    hosts: ['S.example', 'münchen.example:8443', '127.0.0.1:3000', '203.0.113.5'],
    listenPort: 3000,
    basePort: 8443,
  },
  {
    schemes: ['http', 'https'],
    isBlockedHost: (host) => enclosingHost(host, BLOCKED) !== null,
  },
)
const code = (text: string) => {
  const result = check(text)
  return result instanceof ValidationIssue ? result.code : result.target
}

describe('a destination', () => {
  test('is kept byte for byte, in addition to its serialized form', () => {
    for (const [given, target] of [
      ['https://example.com', 'https://example.com/'],
      ['HTTPS://Example.COM/A%2Bb?q=%2B+#frag', 'https://example.com/A%2Bb?q=%2B+#frag'],
      ['https://bücher.de/ü?ü#ü', 'https://xn--bcher-kva.de/%C3%BC?%C3%BC#%C3%BC'],
      ['https://example.com/"quoted"?a=\'b\'', 'https://example.com/%22quoted%22?a=%27b%27'],
      ['https://example.com/😀', 'https://example.com/%F0%9F%98%80'],
      ['http://example.com:80/a b', 'http://example.com/a%20b'],
    ] as const) {
      expect(check(given)).toEqual({ given, target })
    }
  })

  test('is trimmed', () => {
    for (const around of [' ', '\n', '\t', '\r\n', '\u00a0', '\ufeff', '\u2003 \n']) {
      for (const text of [`${around}https://example.com/a b`, `https://example.com/a b${around}`]) {
        expect(check(text)).toEqual({
          given: 'https://example.com/a b',
          target: 'https://example.com/a%20b',
        })
      }
      expect(serializeDestination(`${around}https://example.com${around}`)).toBe(
        'https://example.com/',
      )
    }
    expect(code(' ')).toBe('INVALID_URL')
  })

  test('survives whatever is in its path, query and fragment', () => {
    const part = fc.string({ unit: 'grapheme' }).filter((text) => !/[\p{Cc}\s]/u.test(text))
    fc.assert(
      fc.property(part, part, part, (path, query, fragment) => {
        const given = `https://example.com/${path}?${query}#${fragment}.`
        const result = check(given)
        if (result instanceof ValidationIssue) throw new Error(result.code)
        expect(result.given).toBe(given)
        // The target is stable: parsing and serializing it again changes nothing.
        expect(new URL(result.target).href).toBe(result.target)
        expect(/^[\x21-\x7e]+$/.test(result.target)).toBe(true)
      }),
    )
  })

  test('has at most 8,192 bytes, both as given and as sent', () => {
    const path = 'https://example.com/'
    const full = path + 'x'.repeat(8192 - path.length)
    expect(code(full)).toBe(full)
    expect(code(`${full}x`)).toBe('TOO_LONG')
    const sent = Math.floor((8192 - path.length) / '%F0%9F%98%80'.length)
    expect(code(path + '😀'.repeat(sent))).toContain('%F0%9F%98%80')
    expect(code(path + '😀'.repeat(sent + 1))).toBe('TOO_LONG')
    expect(code(`https://example.com/?q=${'中'.repeat(1_000)}`)).toBe('TOO_LONG')
    // The message has the limit that applies.
    expect(check(`${full}x`)).toMatchObject({ params: { max: 8192 } })
    expect(check(`https://example.com/?q=${'中'.repeat(1_000)}`)).toMatchObject({
      params: { encoded: 8192 },
    })
  })

  test('is an absolute URL', () => {
    for (const text of [
      '',
      'foo',
      '//example.com',
      '/path',
      'http://',
      'https://exa mple.com',
      'http://[::1',
      'http://a:99999/',
      'https://\ud800.com/',
      'https:// example.com',
      '\u200bhttps://example.com/',
    ]) {
      expect(code(text)).toBe('INVALID_URL')
    }
  })

  test('has an allowed scheme', () => {
    for (const text of [
      'javascript:alert(1)',
      'JAVASCRIPT:alert(1)',
      'data:text/html,x',
      'ftp://example.com',
      'file:///etc/passwd',
      'mailto:a@example.com',
      'blob:https://example.com/x',
    ]) {
      expect(code(text)).toBe('URL_SCHEME_NOT_ALLOWED')
    }
  })

  test('has no credentials', () => {
    for (const text of [
      'https://user:pass@example.com',
      'https://user@example.com',
      'https://:pass@example.com',
      'https://example.com%40x@evil.org/',
    ]) {
      expect(code(text)).toBe('URL_HAS_CREDENTIALS')
    }
    expect(code('https://example.com/@user:pass')).toBe('https://example.com/@user:pass')
  })

  test('has no control characters', () => {
    for (const text of [
      'https://example.com/\n\0',
      'https://exam\nple.com/',
      'java\tscript:x',
      'https://exa\0mple.com',
      'https://example.com/\x7f',
      'https://example.com/\x85',
      'https://example.com/\r\nSet-Cookie: a=b',
    ]) {
      expect(code(text)).toBe('URL_HAS_CONTROL_CHARACTERS')
    }
  })

  test('is not on this instance', () => {
    for (const text of [
      'https://s.example/x',
      'https://S.EXAMPLE./x',
      'http://s.example:9999',
      'https://münchen.example',
      'https://xn--mnchen-3ya.example:1/',
      'https://ｓ.example',
      'http://%73.example/',
      'http://203.0.113.5/',
      'http://[::ffff:203.0.113.5]/',
      'http://3405803781/',
    ]) {
      expect([text, code(text)]).toEqual([text, 'URL_LOOPS_BACK'])
    }
    expect(code('https://notme.s.example/')).toBe('https://notme.s.example/')
    expect(code('https://xs.example/')).toBe('https://xs.example/')
  })

  test('is not this machine at the port of the server', () => {
    for (const host of [
      'localhost',
      'LOCALHOST.',
      'a.localhost',
      '127.0.0.1',
      '127.9.8.7',
      '0x7f.1',
      '2130706433',
      '017700000001',
      '[::1]',
      '[0:0:0:0:0:0:0:1]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f01:203]',
      '0.0.0.0',
      '0',
      '[::]',
    ]) {
      for (const port of [3000, 8443]) {
        expect([host, code(`http://${host}:${port}/x`)]).toEqual([host, 'URL_LOOPS_BACK'])
      }
      expect(code(`http://${host}:4000/x`)).toStartWith('http://')
    }
  })

  test('counts the port that a scheme implies', () => {
    const plain = createUrlCheck(
      { hosts: ['s.example'], listenPort: 3000, basePort: 443 },
      { schemes: ['http', 'https'], isBlockedHost: () => false },
    )
    expect(plain('https://localhost/')).toMatchObject({ code: 'URL_LOOPS_BACK' })
    expect(plain('http://localhost/')).toMatchObject({ target: 'http://localhost/' })
  })

  test('is not on a blocked host or below one', () => {
    for (const text of [
      'https://evil.example/',
      'https://a.b.EVIL.example./',
      'https://www.xn--bcher-kva.example',
    ]) {
      expect(code(text)).toBe('URL_BLOCKED')
    }
    expect(code('https://notevil.example/')).toBe('https://notevil.example/')
  })
})

describe("this machine's own addresses", () => {
  const served = createUrlCheck(
    {
      hosts: ['sho.rt'],
      addresses: ['192.0.2.7', 'fe80::1%eth0'],
      listenPort: 3000,
      basePort: 443,
    },
    { schemes: ['http', 'https'], isBlockedHost: () => false },
  )

  test.each([
    ['http://192.0.2.7:3000/a', true],
    ['http://[::ffff:192.0.2.7]:3000/a', true],
    ['http://[fe80::1]:3000/a', true],
    ['http://192.0.2.7:8080/a', false],
    ['http://192.0.2.8:3000/a', false],
  ])('%s leads back: %p', (url, refused) => {
    const result = served(url)
    expect('code' in result && result.code === 'URL_LOOPS_BACK').toBe(refused)
  })
})
