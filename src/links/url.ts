import { LOCATION_BYTES_MAX } from '../base/location.ts'
import { Fault } from '../validation/fault.ts'
import { longerThan } from '../validation/text.ts'

/** The most characters that a destination may have; as it is sent, it may not be longer either. */
export const URL_LENGTH_MAX = LOCATION_BYTES_MAX

/** Anywhere; the URL standard would silently drop some of them, and space around an address. */
const CONTROLS = /\p{Cc}/u
const SPACE_AROUND = /^ | $/
const LOOPBACK_V4 = /^127\.\d+\.\d+\.\d+$/
const MAPPED_V4 = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** The hosts and ports that lead to this instance. */
export interface OwnHosts {
  /** Public hosts, of the base address and the short domains. Refused at any port. */
  hosts: readonly string[]
  /** Addresses of this machine that the server listens on, besides the loopback's. */
  addresses?: readonly string[]
  /** What the server listens on: refused with any name or address of this machine. */
  listenPort: number
  /** The base address's port, refused likewise. */
  basePort: number
}

/** What an operator says about destinations. */
export interface UrlRules {
  /** Without the colon, in lower case. */
  schemes: readonly string[]
  /** Refused with all their subdomains. */
  blockedHosts: readonly string[]
}

/** An address as it was given, and as the URL standard serialises it. */
export interface Destination {
  given: string
  target: string
}

/** Checks a destination. */
export type UrlCheck = (text: string) => Destination | Fault

/** Makes the check of the destinations of one instance (https://url.spec.whatwg.org). */
export function createUrlCheck(own: OwnHosts, rules: UrlRules): UrlCheck {
  const protocols = new Set(rules.schemes.map((scheme) => `${scheme}:`))
  const allowed = [...rules.schemes]
  const ownHosts = new Set(own.hosts.map(canonicalHost).filter((host) => !isThisMachine(host)))
  const ownPorts = new Set([own.listenPort, own.basePort])
  const addresses = new Set((own.addresses ?? []).map(canonicalAddress))
  const blocked = new Set(rules.blockedHosts.map(canonicalHost))

  function loopsBack(url: URL, host: string): boolean {
    if (ownHosts.has(host)) return true
    if (!isThisMachine(host) && !addresses.has(host)) return false
    const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : Number(url.port)
    return port !== undefined && ownPorts.has(port)
  }

  return (text) => {
    if (longerThan(text, URL_LENGTH_MAX)) return new Fault('TOO_LONG', { max: URL_LENGTH_MAX })
    if (CONTROLS.test(text)) return new Fault('URL_HAS_CONTROL_CHARACTERS')
    const url = text.isWellFormed() && !SPACE_AROUND.test(text) ? URL.parse(text) : null
    if (url === null) return new Fault('INVALID_URL')
    if (!protocols.has(url.protocol)) return new Fault('URL_SCHEME_NOT_ALLOWED', { allowed })
    if (url.username !== '' || url.password !== '') return new Fault('URL_HAS_CREDENTIALS')
    if (url.hostname !== '') {
      const host = unmapped(withoutDot(url.hostname))
      if (loopsBack(url, host)) return new Fault('URL_LOOPS_BACK')
      if (blocked.size > 0 && isWithin(host, blocked)) return new Fault('URL_BLOCKED')
    }
    if (Buffer.byteLength(url.href) > LOCATION_BYTES_MAX) {
      return new Fault('TOO_LONG', { max: LOCATION_BYTES_MAX })
    }
    return { given: text, target: url.href }
  }
}

/** A host name as the URL standard writes it (IDN in ASCII), without port and trailing dot. */
function canonicalHost(host: string): string {
  const url = URL.parse(`http://${host}`)
  return unmapped(withoutDot(url?.hostname ?? host.toLowerCase()))
}

/** An address as it stands in a URL: IPv6 in brackets, without a zone. */
function canonicalAddress(address: string): string {
  const plain = address.replace(/%.*$/, '')
  return canonicalHost(plain.includes(':') ? `[${plain}]` : plain)
}

function withoutDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host
}

/** The IPv4 address inside an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2). */
function unmapped(host: string): string {
  const parts = host.startsWith('[') ? MAPPED_V4.exec(host) : null
  if (parts === null) return host
  const high = Number.parseInt(parts[1] as string, 16)
  const low = Number.parseInt(parts[2] as string, 16)
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}

function isThisMachine(host: string): boolean {
  return (
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    host === '0.0.0.0' ||
    host === '[::]' ||
    host === '[::1]' ||
    LOOPBACK_V4.test(host)
  )
}

function isWithin(host: string, hosts: ReadonlySet<string>): boolean {
  for (let rest = host; ; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (hosts.has(rest)) return true
    if (!rest.includes('.')) return false
  }
}
