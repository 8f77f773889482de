import { LOCATION_BYTES_MAX } from '../base/headers.ts'
import { type Random, randomString } from '../base/random.ts'
import type { Domains } from '../domains/index.ts'
import { checkText } from '../validation/checked.ts'
import { Fault } from '../validation/fault.ts'
import { canonicalHost, hostOfUrl } from '../validation/host.ts'
import { foldCase, longerThan } from '../validation/text.ts'

/** A tag as typed, and the key that makes it unique within a link. */
export interface Tag {
  tag: string
  key: string
}

/** A further slug; without a domain it is on the link's own. */
export interface AliasInput extends SlugName {
  domainNo?: number
}

/** The bounds of a link's fields: characters are Unicode code points. */
export const BOUNDS = {
  title: 255,
  notes: 2000,
  external_id: 255,
  tag: 50,
  tags: 20,
  aliases: 20,
  password: 128,
  search: 255,
} as const

const checkLength = checkText({ max: BOUNDS.tag, min: 1 })

/** A tag as typed, without the space around it. */
export function checkTag(text: string): Tag | Fault {
  const tag = checkLength(text.trim())
  return tag instanceof Fault ? tag : { tag, key: foldCase(tag) }
}

/** Tags in the order of their keys; of two that differ only in case the first one stays. */
export function checkTags(tags: readonly Tag[]): Tag[] | Fault {
  const unique = new Map<string, Tag>()
  for (const tag of tags) if (!unique.has(tag.key)) unique.set(tag.key, tag)
  if (unique.size > BOUNDS.tags) return new Fault('TOO_MANY', { max: BOUNDS.tags })
  // As the database orders them.
  return [...unique.values()].sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)))
}

/** Aliases, none of them twice. */
export function checkAliases(aliases: readonly AliasInput[]): readonly AliasInput[] | Fault[] {
  if (aliases.length > BOUNDS.aliases) return [new Fault('TOO_MANY', { max: BOUNDS.aliases })]
  const identities = aliases.map(({ domainNo, key }) => `${domainNo ?? ''}/${key}`)
  const repeated = identities.flatMap((identity, i) =>
    identities.indexOf(identity) < i ? [new Fault('DUPLICATE_VALUE').at(i)] : [],
  )
  return repeated.length > 0 ? repeated : aliases
}

/** An alias: a slug, or `host/slug` of another domain of the instance. */
export function checkAlias(text: string, domains: Domains): AliasInput | Fault {
  const slash = text.lastIndexOf('/')
  if (slash === -1) return parseSlug(text)
  const domainNo = checkDomain(text.slice(0, slash), domains)
  if (domainNo instanceof Fault) return domainNo
  const slug: SlugName | Fault = parseSlug(text.slice(slash + 1))
  return slug instanceof Fault ? slug : { ...slug, domainNo }
}

/** The number of a domain that this instance serves. */
export function checkDomain(host: string, domains: Domains): number | Fault {
  return domains.noOf(host) ?? new Fault('UNKNOWN_DOMAIN')
}

/** The most characters that a slug may have. */
export const SLUG_LENGTH_MAX = 64
/** Characters of a generated slug: none that is taken for another one. */
export const SLUG_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'
/** The length of a generated slug, as long as there is little collision. */
const SLUG_LENGTH_GENERATED = 7

/** After so many collisions at one length, generated slugs get one character longer. */
const TRIES_PER_LENGTH = 3

const PLAIN_SLUG = /^[a-z0-9_-]+$/
const ALLOWED = /^[\p{L}\p{M}\p{Nd}_-]+$/u
/** A leading mark combines with the character before the slug; invisible characters mislead. */
const MISLEADING = /^\p{M}|\p{Default_Ignorable_Code_Point}/u

/** A slug as typed (in NFC), and the key that makes it unique. */
export interface SlugName {
  slug: string
  key: string
}

/** What two slugs that differ only in case or composition have in common. */
export function slugKey(slug: string): string {
  return PLAIN_SLUG.test(slug) ? slug : foldCase(slug)
}

/** Checks a slug that a client chose. */
export function parseSlug(text: string): SlugName | Fault {
  if (PLAIN_SLUG.test(text) && text.length <= SLUG_LENGTH_MAX) {
    return unreserved({ slug: text, key: text }, text)
  }
  if (text === '') return new Fault('TOO_SHORT', { min: 1 })
  const slug = text.isWellFormed() ? text.normalize('NFC') : text
  if (longerThan(slug, SLUG_LENGTH_MAX)) return new Fault('TOO_LONG', { max: SLUG_LENGTH_MAX })
  if (!ALLOWED.test(slug) || MISLEADING.test(slug)) return new Fault('INVALID_SLUG')
  // Full-width and mathematical letters are taken for the plain ones by readers.
  return unreserved({ slug, key: slugKey(slug) }, slugKey(slug.normalize('NFKC')))
}

function unreserved(name: SlugName, seenAs: string): SlugName | Fault {
  return RESERVED_SLUGS.has(seenAs) ? new Fault('SLUG_RESERVED') : name
}

/** A random slug; `tries` is how many were taken already. */
export function generateSlug(random: Random, tries: number): string {
  const length = SLUG_LENGTH_GENERATED + Math.floor(tries / TRIES_PER_LENGTH)
  const slug = randomString(random, SLUG_ALPHABET, length)
  return RESERVED_SLUGS.has(slug) ? generateSlug(random, tries) : slug
}

/** Slugs to offer instead of a taken one: numbered first, then with a random end. */
export function alternatives(slug: string, random: Random): SlugName[] {
  const endings = ['2', '3', '4', '5']
  for (let length = 3; length <= 6; length++) {
    endings.push(randomString(random, SLUG_ALPHABET, length))
  }
  const base = [...slug]
  return endings.map((ending) => {
    const text = `${base.slice(0, SLUG_LENGTH_MAX - ending.length - 1).join('')}-${ending}`
    return { slug: text, key: slugKey(text) }
  })
}

/** Paths of the server. */
const SERVED = `
  api app assets docs healthz livez metrics openapi readyz static
`

/** Pages that there are or may be. */
const PAGES = `
  about account admin auth billing console dashboard domains health help index invite join
  keys legal links login logout oauth password plans pricing privacy profile register reset
  search security settings setup signin signout signup sso stats status support team terms
  verify webhooks workspaces
`

/** What browsers and crawlers ask for. */
const ASKED_FOR = `
  ads apple-app-site-association apple-touch-icon browserconfig crossdomain favicon humans
  manifest robots service-worker sitemap sw well-known
`

/**
 * Slugs that no link may have, as keys of `slugKey`: paths that the server answers itself, that
 * browsers and crawlers ask every host for, or that visitors would take for the service's own.
 */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set(
  `${SERVED} ${PAGES} ${ASKED_FOR}`.trim().split(/\s+/),
)

/** The most characters that a destination may have; as it is sent, it may not be longer either. */
export const URL_LENGTH_MAX = LOCATION_BYTES_MAX

/** Anywhere; the URL standard would silently drop some of them, and space around an address. */
const CONTROLS = /\p{Cc}/u
const SPACE_AROUND = /^ | $/
const LOOPBACK_V4 = /^127\.\d+\.\d+\.\d+$/
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
  /** Whether a canonical host is refused. */
  isBlockedHost?: (host: string) => boolean
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
      const host = hostOfUrl(url)
      if (loopsBack(url, host)) return new Fault('URL_LOOPS_BACK')
      if (rules.isBlockedHost?.(host)) return new Fault('URL_BLOCKED')
    }
    if (Buffer.byteLength(url.href) > LOCATION_BYTES_MAX) {
      const limits = { max: URL_LENGTH_MAX, encoded: LOCATION_BYTES_MAX }
      return new Fault('TOO_LONG', limits)
    }
    return { given: text, target: url.href }
  }
}

/** An address as it stands in a URL: IPv6 in brackets, without a zone. */
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
