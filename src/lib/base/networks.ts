import ipaddr from 'ipaddr.js'

/** An IP address. */
export type Address = ReturnType<typeof ipaddr.process>

type Network = ReturnType<typeof ipaddr.parseCIDR>

/** Parses a network in CIDR notation, or an address. Throws on a text that is neither. */
export function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

/** The same for several. */
export const parseNetworks = (texts: readonly string[]): Network[] => texts.map(parseNetwork)

/** Parses an address, an IPv4-mapped one (RFC 4291 §2.5.5.2) as IPv4; null: it isn't one. */
export function parseAddress(text: string): Address | null {
  return ipaddr.isValid(text) ? ipaddr.process(text) : null
}

/** Whether an address is in one of these networks. */
export function isWithin(address: Address | null, networks: readonly Network[]): boolean {
  return (
    address !== null &&
    networks.some((network) => network[0].kind() === address.kind() && address.match(network))
  )
}
