import ipaddr from 'ipaddr.js'
import { createMemo } from './memo.ts'
import { isWithin, parseAddress, parseNetworks } from './networks.ts'

/** Finds the visitor's address; `peer` is the address of the connection. */
export type ClientAddress = (peer: string, headers: Headers) => string

/** Peers whose trust is remembered: proxies are few, and parsing an address takes microseconds. */
const PEERS_REMEMBERED = 1_000

/**
 * Trusts `X-Forwarded-For` only as far as named proxies wrote it: it is read from the right, past
 * trusted addresses, to the first that isn't one. A visitor can forge everything left of that. An
 * entry that is not an address stops the search at the last proxy.
 *
 * @param trustedProxies addresses and networks (CIDR); throws on one that is neither.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  if (trustedProxies.length === 0) return (peer) => withoutMapping(peer)
  const trusts = createTrust(trustedProxies)
  return (peer, headers) => {
    let address = withoutMapping(peer)
    if (!trusts(address)) return address
    const forwarded = headers.get('x-forwarded-for')
    if (forwarded === null) return address
    const hops = forwarded.split(',')
    for (let i = hops.length - 1; i >= 0; i--) {
      const hop = parseHop(hops[i] as string)
      if (hop === null) return address
      address = hop
      if (!trusts(address)) return address
    }
    return address
  }
}

/** Makes a test for whether an address, such as a peer's, belongs to a trusted proxy. */
export function createTrust(trustedProxies: readonly string[]): (address: string) => boolean {
  const networks = parseNetworks(trustedProxies)
  return createMemo(PEERS_REMEMBERED, (peer: string) => isWithin(parseAddress(peer), networks))
}

/**
 * The network of an address: /24 of IPv4, /48 of IPv6. It identifies a region, not a person. Empty
 * if the text is not an address.
 */
export function truncateAddress(address: string): string {
  if (!address.includes(':')) {
    const end = address.lastIndexOf('.')
    return end > 0 ? `${address.slice(0, end)}.0` : ''
  }
  const [head = '', tail = ''] = (address.split('%', 1)[0] as string).split('::')
  const before = head.split(':').filter(Boolean)
  const after = tail.split(':').filter(Boolean)
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0')
  const groups = [...before, ...zeros, ...after].slice(0, 3)
  // 6to4 (RFC 3056) holds a whole IPv4 address in these 48 bits, so it is cut to its /24 too.
  if (groups[0] === '2002') {
    groups[2] = (Number.parseInt(groups[2] as string, 16) & 0xff00).toString(16)
  }
  while (groups.at(-1) === '0') groups.pop()
  return `${groups.join(':')}::`
}

/** The rate limiter's key of an address: of IPv6 the /64, all of which a client usually controls. */
export function addressKey(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address
  const parsed = ipaddr.IPv6.parse(address)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  return parsed.parts.slice(0, 4).join(':')
}

/** An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) as plain IPv4. */
function withoutMapping(address: string): string {
  if (!address.startsWith('::')) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  return mapped === null ? address : (mapped[1] as string)
}

/** An entry of the header: an address, optionally in brackets and with a port. */
function parseHop(text: string): string | null {
  const hop = text.trim().replaceAll('"', '')
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop
  // Four-part IPv4 only: other forms (017.1, 0x7f000001) are read differently elsewhere.
  if (!bare.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(bare)) return null
  return parseAddress(bare)?.toString() ?? null
}
