import { hasManyMarks } from './text.ts'

/** 253 bytes (RFC 1035 §3.1), each percent-encoded twice. */
const LENGTH_MAX = 253 * 5

const MAPPED_V4 = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/

/** A host name as the URL standard writes it (IDN in ASCII), without port and trailing dot. */
export function canonicalHost(host: string): string {
  const url = canBeHost(host) ? URL.parse(`http://${host}`) : null
  return unmapped(withoutDot(url?.hostname ?? host.toLowerCase()))
}

/** False for texts that would take the URL parser long: IDNA sorts marks in quadratic time. */
export function canBeHost(text: string): boolean {
  return text.length <= LENGTH_MAX && !hasManyMarks(text)
}

/** The host of a URL, in its canonical form. */
export function hostOfUrl({ hostname }: URL): string {
  return unmapped(withoutDot(hostname))
}

/** The one of `hosts` that a canonical host equals or is a subdomain of; null: none. */
export function enclosingHost(host: string, hosts: { has(host: string): boolean }): string | null {
  for (let rest = host; ; rest = rest.slice(rest.indexOf('.') + 1)) {
    if (hosts.has(rest)) return rest
    if (!rest.includes('.')) return null
  }
}

function withoutDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host
}

/** The IPv4 address of an IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2). */
function unmapped(host: string): string {
  const parts = host.startsWith('[') ? MAPPED_V4.exec(host) : null
  if (parts === null) return host
  const high = Number.parseInt(parts[1] as string, 16)
  const low = Number.parseInt(parts[2] as string, 16)
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`
}
