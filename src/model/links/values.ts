import { LOCATION_BYTES_MAX } from '../../lib/base/headers.ts'
import { canBeHost, canonicalHost, hostOfUrl } from '../../lib/validation/host.ts'
import { checkText, foldCase, hasManyMarks, longerThan } from '../../lib/validation/text.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import type { Domains } from '../domains/index.ts'

/** A tag as typed, and its unique key. */
export interface Tag {
  tag: string
  key: string
}

/** The bounds of a link's fields, in Unicode code points. */
export const BOUNDS = {
  title: 255,
  notes: 2000,
  social_title: 255,
  social_description: 500,
  external_id: 255,
  tag: 50,
  tags: 20,
  aliases: 20,
  password: 128,
  search: 255,
} as const

const checkLength = checkText({ max: BOUNDS.tag, min: 1 })

/** A tag, trimmed. */
export function checkTag(text: string): Tag | ValidationIssue {
  const tag = checkLength(text.trim())
  return tag instanceof ValidationIssue ? tag : { tag, key: foldCase(tag) }
}

/** Tags in the order of their keys; of those that differ only in case the first one stays. */
export function checkTags(tags: readonly Tag[]): Tag[] | ValidationIssue {
  const unique = new Map<string, Tag>()
  for (const tag of tags) if (!unique.has(tag.key)) unique.set(tag.key, tag)
  if (unique.size > BOUNDS.tags) return new ValidationIssue('TOO_MANY', { max: BOUNDS.tags })
  // In the database's order.
  return [...unique.values()].sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
}

/** The number of a domain that links of a workspace may use. */
export function checkDomain(
  host: string,
  domains: Domains,
  workspaceNo: number | null,
): number | ValidationIssue {
  const usable = domains.usableBy(workspaceNo, host)
  if (typeof usable === 'object') return usable.no
  return new ValidationIssue(usable === 'unverified' ? 'DOMAIN_NOT_VERIFIED' : 'UNKNOWN_DOMAIN')
}

/** The number of a domain that a workspace may query. */
export function checkKnownDomain(
  host: string,
  domains: Domains,
  workspaceNo: number | null,
): number | ValidationIssue {
  return domains.knownTo(workspaceNo, host) ?? new ValidationIssue('UNKNOWN_DOMAIN')
}

/** The number of no domain. */
const NO_DOMAIN = -1

/** The number of a domain in a filter, which matches nothing if the workspace has no such domain. */
export function checkDomainFilter(
  host: string,
  domains: Domains,
  workspaceNo: number | null,
): number | ValidationIssue {
  const known = checkKnownDomain(host, domains, workspaceNo)
  const isHost = canBeHost(host) && !/[/?#@\\]/.test(host) && URL.canParse(`http://${host}`)
  return known instanceof ValidationIssue && isHost ? NO_DOMAIN : known
}

/** The most characters of a destination, both as given and as sent. */
export const URL_LENGTH_MAX = LOCATION_BYTES_MAX

/** In any position; the URL standard would silently drop some of them. */
const CONTROLS = /\p{Cc}/u
const LOOPBACK_V4 = /^127\.\d+\.\d+\.\d+$/
const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'http:': 80, 'https:': 443 }

/** The hosts and ports of this instance. */
export interface OwnHosts {
  /** Public hosts, of the base URL and the short domains. Refused with any port. */
  hosts: readonly string[]
  /** The workspace's domain that is served at a canonical host. Refused too. */
  ownedAt?: (host: string) => number | undefined
  /** Addresses of this machine that the server listens on, besides loopback ones. */
  addresses?: readonly string[]
  /** The listening port: refused with any name or address of this machine. */
  listenPort: number
  /** The base URL's port, refused too. */
  basePort: number
}

/** An operator's rules for destinations. */
export interface UrlRules {
  /** Without the colon, in lower case. */
  schemes: readonly string[]
  /** Whether a canonical host is refused. */
  isBlockedHost?: (host: string) => boolean
}

/**
 * Placeholders in a target, filled in by each visit. The URL standard percent-encodes braces in a
 * path, so both forms match; what was encoded before isn't a placeholder, see {@link targetOf}. `path.1` is the first segment after the slug.
 */
export const PLACEHOLDERS = /(?:\{|%7B)(path(?:\.[1-9]\d?)?|slug|query\.[\w.~-]+)(?:\}|%7D)/g
const PLACEHOLDER = new RegExp(PLACEHOLDERS.source)

const NAME = String.raw`(?:path(?:\.[1-9]\d?)?|slug|query\.[\w.~-]+)`
/** What looks like a placeholder once braces are encoded, and was given with an encoded brace. */
const LITERALS = new RegExp(`%7B(${NAME})(\\}|%7D)|\\{(${NAME})%7D`, 'g')
/** The same in a target, where the encoded brace is in lower case. */
const MARKED = new RegExp(`%7b(${NAME})(\\}|%7D)|(\\{|%7B)(${NAME})%7d`, 'g')

/**
 * A URL as serialized by the URL standard, which encodes braces in a path: those that were encoded
 * already are told from placeholders by lower case. {@link unmarked} restores them.
 */
function serialized(text: string): URL | null {
  return URL.parse(
    text.replace(LITERALS, (_, name, end, other) =>
      other === undefined ? `%7b${name}${end}` : `{${other}%7d`,
    ),
  )
}

/** The same for a valid destination. */
export function targetOf(given: string): string {
  return serialized(given)?.href ?? given
}

/** A target as it is sent, without what tells literal braces from placeholders. */
export function unmarked(target: string): string {
  return target.replace(MARKED, (_, name, end, start, other) =>
    other === undefined ? `%7B${name}${end}` : `${start}${other}%7D`,
  )
}

/** Whether a target has placeholders, or literal braces that look like one. */
export function isTemplate(target: string): boolean {
  return hasPlaceholder(target) || target.search(MARKED) >= 0
}

/** Up to the path, the query or the fragment; for `mailto:a@b` it is everything. */
const ORIGIN = /^[^/?#\\:]*:?[/\\]*[^/?#\\]*/

/** Whether a destination has placeholders. */
export function hasPlaceholder(url: string): boolean {
  return PLACEHOLDER.test(url)
}

/** A URL as given, without white space around it, and as serialized by the URL standard. */
export interface Destination {
  given: string
  target: string
}

/** Validates a destination. */
export type UrlCheck = (text: string) => Destination | ValidationIssue

/** Makes the validation of destinations of an instance (https://url.spec.whatwg.org). */
export function createUrlCheck(own: OwnHosts, rules: UrlRules): UrlCheck {
  const protocols = new Set(rules.schemes.map((scheme) => `${scheme}:`))
  const allowed = [...rules.schemes]
  const ownHosts = new Set(own.hosts.map(canonicalHost).filter((host) => !isThisMachine(host)))
  const ownPorts = new Set([own.listenPort, own.basePort])
  const addresses = new Set((own.addresses ?? []).map(canonicalAddress))

  function loopsBack(url: URL, host: string): boolean {
    if (ownHosts.has(host) || own.ownedAt?.(host) !== undefined) return true
    if (!isThisMachine(host) && !addresses.has(host)) return false
    const port = url.port === '' ? DEFAULT_PORTS[url.protocol] : Number(url.port)
    return port !== undefined && ownPorts.has(port)
  }

  return (given) => {
    const text = given.trim()
    const url = parseDestination(text)
    if (url instanceof ValidationIssue) return url
    if (!protocols.has(url.protocol))
      return new ValidationIssue('URL_SCHEME_NOT_ALLOWED', { allowed })
    if (url.username !== '' || url.password !== '')
      return new ValidationIssue('URL_HAS_CREDENTIALS')
    if (url.hostname !== '') {
      const host = hostOfUrl(url)
      if (loopsBack(url, host)) return new ValidationIssue('URL_LOOPS_BACK')
      if (rules.isBlockedHost?.(host)) return new ValidationIssue('URL_BLOCKED')
    }
    if (Buffer.byteLength(url.href) > LOCATION_BYTES_MAX) {
      const limits = { max: URL_LENGTH_MAX, encoded: LOCATION_BYTES_MAX }
      return new ValidationIssue('TOO_LONG', limits)
    }
    return { given: text, target: url.href }
  }
}

function parseDestination(text: string): URL | ValidationIssue {
  if (longerThan(text, URL_LENGTH_MAX))
    return new ValidationIssue('TOO_LONG', { max: URL_LENGTH_MAX })
  if (CONTROLS.test(text)) return new ValidationIssue('URL_HAS_CONTROL_CHARACTERS')
  const [origin = ''] = ORIGIN.exec(text) ?? []
  if (hasPlaceholder(origin)) return new ValidationIssue('PLACEHOLDER_IN_ORIGIN')
  const isParsed = text.isWellFormed() && !hasManyMarks(origin)
  return (isParsed && serialized(text)) || new ValidationIssue('INVALID_URL')
}

/**
 * A URL in the form that destinations are compared in. Links to it may exist even if a new one
 * would be refused.
 */
export function serializeDestination(text: string): string | ValidationIssue {
  const url = parseDestination(text.trim())
  return url instanceof ValidationIssue ? url : url.href
}

/** An address in URL notation: IPv6 in brackets, without a zone. */
function canonicalAddress(address: string): string {
  const plain = address.replace(/%.*$/, '')
  return canonicalHost(plain.includes(':') ? `[${plain}]` : plain)
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
