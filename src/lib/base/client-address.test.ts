import { describe, expect, test } from 'bun:test'
import { createClientAddress, truncateAddress } from './client-address.ts'

const forwarded = (value: string) => new Headers({ 'x-forwarded-for': value })

describe('the client address', () => {
  test('is the peer, whatever the headers say, when no proxy is trusted', () => {
    const address = createClientAddress([])
    expect(address('203.0.113.7', forwarded('198.51.100.1'))).toBe('203.0.113.7')
    expect(address('::ffff:203.0.113.7', new Headers())).toBe('203.0.113.7')
    expect(address('2001:db8::1', new Headers())).toBe('2001:db8::1')
    expect(address('', new Headers())).toBe('')
  })

  test.each([
    ['10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    // Entries left of the first untrusted address are under the visitor's control.
    ['10.0.0.1', '1.2.3.4, 198.51.100.1', '198.51.100.1'],
    ['10.0.0.1', '1.2.3.4, 198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['10.0.0.1', '10.1.1.1, 10.2.2.2', '10.1.1.1'],
    ['10.0.0.1', 'unknown', '10.0.0.1'],
    ['10.0.0.1', 'unknown, 10.2.2.2', '10.2.2.2'],
    ['10.0.0.1', '', '10.0.0.1'],
    ['10.0.0.1', '0x7f.1', '10.0.0.1'],
    ['10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['10.0.0.1', '[2001:DB8::0001]:4711', '2001:db8::1'],
    ['10.0.0.1', '2001:db8::5', '2001:db8::5'],
    ['10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['fd00::1', '198.51.100.1', '198.51.100.1'],
    // The header of an untrusted peer is ignored.
    ['203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ])('from %s with "%s" is %s', (peer, header, expected) => {
    const address = createClientAddress(['10.0.0.0/8', 'fd00::/8', '192.0.2.1'])
    expect(address(peer, forwarded(header))).toBe(expected)
    expect(address(peer, new Headers())).toBe(peer.replace('::ffff:', ''))
  })

  test('refuses a proxy that is not an address', () => {
    expect(() => createClientAddress(['proxy.example'])).toThrow()
    expect(() => createClientAddress(['10.0.0.0/40'])).toThrow()
  })
})

describe('truncation', () => {
  test.each([
    ['203.0.113.7', '203.0.113.0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::'],
    ['2001:db8::1', '2001:db8::'],
    ['2001::1:2:3:4:5:6', '2001:0:1::'],
    ['fe80::1%eth0', 'fe80::'],
    ['::1', '::'],
    ['', ''],
    ['2002:cb00:714d::1', '2002:cb00:7100::'],
    ['2002:cb00:4d::1', '2002:cb00::'],
  ])('%s → %s', (address, network) => {
    expect(truncateAddress(address)).toBe(network)
  })
})
