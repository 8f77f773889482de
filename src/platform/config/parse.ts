import ipaddr from 'ipaddr.js'
import { SOCKET_PREFIX } from './address.ts'

/** An invalid value: what is wrong with it, and a valid example. */
export class BadValue extends Error {
  constructor(
    readonly problem: string,
    readonly example: string,
  ) {
    super(problem)
  }
}

/** Schemes that run script in the visitor's browser or reach into the visitor's machine. */
const DANGEROUS_SCHEMES = new Set(['javascript', 'data', 'vbscript', 'file', 'blob', 'about'])

/** The beginning of a message about a value: quoted and short, or omitted if it may hold a password. */
function describeValue(value: string): string {
  if (value.includes('@')) return 'has a value (not repeated here, it may hold a password) that'
  const short = value.length > 60 ? `${value.slice(0, 60)}…` : value
  return `is ${JSON.stringify(short)}, which`
}

/** A whole number in decimal digits within bounds, both included. */
export function integer(least: number, most: number, example: string) {
  return (value: string): number => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    if (number >= least && number <= most) return number
    throw new BadValue(
      `${describeValue(value)} isn't a whole number from ${least} to ${most}`,
      example,
    )
  }
}

/** One of a few keywords. */
export function oneOf<const T extends string>(words: readonly T[]) {
  return (value: string): T => {
    const word = words.find((candidate) => candidate === value.toLowerCase())
    if (word !== undefined) return word
    throw new BadValue(
      `${describeValue(value)} isn't one of ${words.join(', ')}`,
      words[0] as string,
    )
  }
}

/** Several values, separated by commas or white space, without duplicates. */
export function list<T>(item: (value: string) => T) {
  return (value: string): T[] => {
    const items = value.split(/[\s,]+/).filter((part) => part !== '')
    return [...new Set(items.map(item))]
  }
}

/** An address or name to listen on. */
export function listenHost(value: string): string {
  if (value.startsWith(SOCKET_PREFIX)) return socket(value)
  const bare = value.replace(/^\[(.*)\]$/, '$1')
  if (ipaddr.isValid(bare) && (bare.includes(':') || /^\d+(\.\d+){3}$/.test(bare))) return bare
  if (/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(value)) {
    if (!/^[\d.]+$/.test(value)) return value
  }
  throw new BadValue(
    `${describeValue(value)} isn't an IP address or a host name`,
    '127.0.0.1 (this machine only) or 0.0.0.0 (every network)',
  )
}

/** All systems take paths of Unix sockets of 103 bytes: also while a process id is added. */
const SOCKET_PATH_MAX = 95

function socket(value: string): string {
  const path = value.slice(SOCKET_PREFIX.length)
  const example = `${SOCKET_PREFIX}/run/slugline/slugline.sock`
  if (!path.startsWith('/')) throw new BadValue('is not an absolute path', example)
  if (Buffer.byteLength(path) <= SOCKET_PATH_MAX) return value
  throw new BadValue(`is longer than ${SOCKET_PATH_MAX} bytes`, example)
}

/** An http or https origin, returned without a trailing slash. */
export function origin(value: string): string {
  const example = 'https://sho.rt'
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new BadValue(
      `${describeValue(value)} isn't a URL that starts with http:// or https://`,
      example,
    )
  }
  if (url.username !== '' || url.password !== '') {
    throw new BadValue('contains a user name or password', example)
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    throw new BadValue(`${describeValue(value)} has more than scheme, host and port`, url.origin)
  }
  return url.origin
}

/** A host name or address with an optional port, in ASCII lower case. */
export function hostAndPort(value: string): string {
  const example = 'go.example.com'
  if (/[/?#@\\]/.test(value)) {
    throw new BadValue(`${describeValue(value)} has more than a host name and a port`, example)
  }
  const url = URL.parse(`https://${value}`)
  if (url === null) throw new BadValue(`${describeValue(value)} isn't a host name`, example)
  // The URL parser drops the default port of https, which is not that of http links.
  const port = /:(\d+)$/.exec(value.replace(/^\[.*\]/, ''))?.[1]
  return port === undefined ? url.hostname : `${url.hostname}:${Number(port)}`
}

/** A host name or address, in ASCII lower case. */
export function hostOnly(value: string): string {
  const host = hostAndPort(value.replace(/^\*?\./, ''))
  if (!/:\d+$/.test(host) || host.endsWith(']')) return host
  throw new BadValue(`${describeValue(value)} has a port`, 'malware.example')
}

/** An address or a network in CIDR notation (RFC 4632), in its canonical form. */
export function network(value: string): string {
  const example = '127.0.0.1, 10.0.0.0/8, fd00::/8'
  try {
    if (!value.includes('/')) {
      if (!/[.:]/.test(value)) throw new Error('not dotted')
      return ipaddr.process(value).toString()
    }
    const [address, bits] = ipaddr.parseCIDR(value)
    return `${address.toString()}/${bits}`
  } catch {
    throw new BadValue(
      `${describeValue(value)} isn't an IP address or a network like 10.0.0.0/8`,
      example,
    )
  }
}

/** The IP address of a DNS server, optionally with a port. */
export function dnsServer(value: string): string {
  const [, bracketed, plain] = /^(?:\[([^\]]+)\](?::\d{1,5})?|([^[\]]+))$/.exec(value) ?? []
  const host = bracketed ?? plain?.replace(/^([\d.]+):\d{1,5}$/, '$1') ?? ''
  if (/[.:]/.test(host) && ipaddr.isValid(host)) return value
  throw new BadValue(
    `${describeValue(value)} isn't the IP address of a DNS server`,
    '1.1.1.1, [2606:4700::1111]:53',
  )
}

/** A URI scheme (RFC 3986 §3.1) that is safe to redirect to, in lower case, without the colon. */
export function scheme(value: string): string {
  const name = value.toLowerCase().replace(/:(\/\/)?$/, '')
  if (!/^[a-z][a-z0-9+.-]*$/.test(name)) {
    throw new BadValue(`${describeValue(value)} isn't the name of a scheme`, 'http,https,mailto')
  }
  if (DANGEROUS_SCHEMES.has(name)) {
    throw new BadValue(
      `${describeValue(value)} is a scheme that endangers visitors`,
      'http,https,mailto',
    )
  }
  return name
}
