import ipaddr from 'ipaddr.js'
import { createMemo } from './memo.ts'

/** Finds the visitor's address behind `peer`, the address that the connection came from. */
export type ClientAddress = (peer: string, headers: Headers) => string

type Network = ReturnType<typeof ipaddr.parseCIDR>

/** Peers whose trust is remembered: proxies are few, and parsing an address costs microseconds. */
const PEERS_REMEMBERED = 1_000

/**
 * Believes `X-Forwarded-For` only as far as named proxies wrote it: from the right, past every
 * trusted address, to the first that isn't. What stands left of that one the visitor may have
 * invented. An entry that is no address ends the walk at the last proxy.
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

/** Tells whether an address, of a peer for example, is one of the named proxies'. */
export function createTrust(trustedProxies: readonly string[]): (address: string) => boolean {
  const networks = trustedProxies.map(parseNetwork)
  return createMemo(PEERS_REMEMBERED, (address: string) => isWithin(address, networks))
}

/**
 * The network of an address: /24 of IPv4, /48 of IPv6. It identifies a region, not a person.
 * Empty for what is no address.
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
  // 6to4 (RFC 3056) has a whole IPv4 address in these 48 bits: of it a /24, as of others.
  if (groups[0] === '2002') {
    groups[2] = (Number.parseInt(groups[2] as string, 16) & 0xff00).toString(16)
  }
  while (groups.at(-1) === '0') groups.pop()
  return `${groups.join(':')}::`
}

/**
 * What an address is limited by: of IPv6 the /64, because a client that has one address there
 * usually has them all.
 */
export function addressKey(address: string): string {
  if (!address.includes(':') || !ipaddr.IPv6.isValid(address)) return address
  const parsed = ipaddr.IPv6.parse(address)
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString()
  return parsed.parts.slice(0, 4).join(':')
}

/** IPv4 that came through an IPv6 socket (RFC 4291 §2.5.5.2) is the same IPv4 address. */
function withoutMapping(address: string): string {
  if (!address.startsWith('::')) return address
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)
  return mapped === null ? address : (mapped[1] as string)
}

/** An entry of the header: an address, perhaps in brackets, perhaps with a port. */
function parseHop(text: string): string | null {
  const hop = text.trim().replaceAll('"', '')
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(hop)?.[1] ?? /^([\d.]+):\d+$/.exec(hop)?.[1] ?? hop
  // Only the four-part form of IPv4: others (017.1, 0x7f000001) are read differently elsewhere.
  if (!bare.includes(':') && !ipaddr.IPv4.isValidFourPartDecimal(bare)) return null
  return ipaddr.isValid(bare) ? ipaddr.process(bare).toString() : null
}

function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function isWithin(text: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  return networks.some((network) => network[0].kind() === address.kind() && address.match(network))
}
