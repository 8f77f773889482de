import { type Random, randomString } from '../base/random.ts'
import { DEFAULT_DOMAIN, type Domains } from '../domains/index.ts'
import { askingWorkspace } from '../validation/asking.ts'
import { Fault } from '../validation/fault.ts'
import { foldCase, longerThan } from '../validation/text.ts'
import { BOUNDS, checkDomain } from './values.ts'

/** The most characters (code points) that a slug may have. */
export const SLUG_LENGTH_MAX = 128
/** The most segments that a slug may have, parted by `/`. */
export const SLUG_SEGMENTS_MAX = 8
/** What `slugs.special` says of a link that answers all below its slugs too. */
export const SPECIAL_PREFIX = 2
/** Characters of a generated slug: none that is taken for another one. */
export const SLUG_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'
/** The length of a generated slug, as long as there is little collision. */
const SLUG_LENGTH_GENERATED = 7

/** After so many collisions at one length, generated slugs get one character longer. */
const TRIES_PER_LENGTH = 3

const PLAIN_SLUG = /^[a-z0-9_-]+$/
/** What a slug may have besides emoji. */
const ALLOWED = /^[\p{L}\p{M}\p{Nd}._~/-]*$/u
/** An emoji that Unicode recommends, or a single one without its variation selector. */
const EMOJI = /(?![#*])\p{RGI_Emoji}|[\p{Emoji}--[0-9#*]]\uFE0F?/gv
const VARIATION_SELECTORS = /[\uFE0E\uFE0F]/g
/** A leading mark combines with the character before it; invisible characters mislead. */
const MISLEADING = /(?:^|\/)\p{M}|\p{Default_Ignorable_Code_Point}/u

/** A slug as typed (in NFC), and the key that makes it unique. */
export interface SlugName {
  slug: string
  key: string
}

/**
 * What two slugs have in common that differ only in case, composition, or in whether an emoji asks
 * for colours; on a domain where case matters, not those that differ in case. The key of a slug's
 * first segments is the beginning of its key.
 */
export function slugKey(slug: string, isCaseSensitive = false): string {
  if (PLAIN_SLUG.test(slug)) return slug
  const plain = slug.replaceAll(VARIATION_SELECTORS, '')
  return isCaseSensitive ? plain.normalize('NFC') : foldCase(plain)
}

/** Checks the spelling of a slug that a client chose; see also {@link isReserved}. */
export function parseSlug(text: string): SlugName | Fault {
  if (PLAIN_SLUG.test(text) && text.length <= SLUG_LENGTH_MAX) return { slug: text, key: text }
  if (text === '') return new Fault('TOO_SHORT', { min: 1 })
  const slug = text.isWellFormed() ? text.normalize('NFC') : text
  if (longerThan(slug, SLUG_LENGTH_MAX)) return new Fault('TOO_LONG', { max: SLUG_LENGTH_MAX })
  const letters = slug.replaceAll(EMOJI, '')
  if (!ALLOWED.test(letters) || MISLEADING.test(letters)) return new Fault('INVALID_SLUG')
  const segments = slug.split('/')
  const isPath = segments.every((segment) => !NO_SEGMENT.test(segment))
  if (!isPath || segments.length > SLUG_SEGMENTS_MAX) return new Fault('INVALID_SLUG')
  if (seenAs(slug) === WELL_KNOWN) return new Fault('SLUG_RESERVED')
  return { slug, key: slugKey(slug) }
}

/** Empty, or what browsers resolve before they send it. */
const NO_SEGMENT = /^\.{0,2}$/
/** On every domain: what is below it speaks for the host, to authorities that certify it too. */
const WELL_KNOWN = '.well-known'

/** Whether a slug can't be given out on a domain: the instance's own host answers its path itself. */
export function isReserved(slug: string, domainNo: number): boolean {
  return domainNo === DEFAULT_DOMAIN && RESERVED_SEGMENTS.has(seenAs(slug))
}

/** How readers see the first segment: full-width and mathematical letters as the plain ones. */
function seenAs(slug: string): string {
  const end = slug.indexOf('/')
  return slugKey((end < 0 ? slug : slug.slice(0, end)).normalize('NFKC'))
}

/** A random slug; `tries` is how many were taken already. */
export function generateSlug(random: Random, tries: number): string {
  const length = SLUG_LENGTH_GENERATED + Math.floor(tries / TRIES_PER_LENGTH)
  const slug = randomString(random, SLUG_ALPHABET, length)
  return RESERVED_SEGMENTS.has(slug) ? generateSlug(random, tries) : slug
}

/**
 * Slugs to offer instead of a taken one: numbered first, then with a random end.
 * @param segments so many of its segments are what is taken: the ending stands behind them
 */
export function alternatives(
  slug: string,
  random: Random,
  segments = SLUG_SEGMENTS_MAX,
): SlugName[] {
  const endings = ['2', '3', '4', '5']
  for (let length = 3; length <= 6; length++) {
    endings.push(randomString(random, SLUG_ALPHABET, length))
  }
  const all = slug.split('/')
  const head = all.slice(0, segments).join('/')
  const below = all.slice(segments).join('/')
  return endings.map((ending) => {
    const added = `-${ending}`
    const room = SLUG_LENGTH_MAX - [...added].length - [...below].length - 1
    const tail = below === '' || room < 1 ? '' : `/${below}`
    const text = `${shortened(head, SLUG_LENGTH_MAX - [...added, ...tail].length)}${added}${tail}`
    return { slug: text, key: slugKey(text) }
  })
}

const graphemes = new Intl.Segmenter()

/** The beginning of a text, without a half of what is seen as one character. */
function shortened(text: string, max: number): string {
  if (!longerThan(text, max)) return text
  let start = ''
  for (const { segment } of graphemes.segment(text)) {
    if (longerThan(start + segment, max)) break
    start += segment
  }
  return start
}

/** A further slug; without a domain it is on the link's own. */
export interface AliasInput extends SlugName {
  domainNo?: number
}

/** Aliases, none of them twice. Where case may matter, only the domain of the link tells. */
export function checkAliases(
  aliases: readonly AliasInput[],
  domains: Pick<Domains, 'hasCaseSensitive'>,
): readonly AliasInput[] | Fault[] {
  if (aliases.length > BOUNDS.aliases) return [new Fault('TOO_MANY', { max: BOUNDS.aliases })]
  const isExact = domains.hasCaseSensitive(askingWorkspace())
  const identities = aliases.map(
    ({ domainNo, slug, key }) => `${domainNo ?? ''}/${isExact ? slug : key}`,
  )
  const repeated = identities.flatMap((identity, i) =>
    identities.indexOf(identity) < i ? [new Fault('DUPLICATE_VALUE').at(i)] : [],
  )
  return repeated.length > 0 ? repeated : aliases
}

/** An alias: a slug, or `host/slug` of a domain that the asking workspace knows. */
export function checkAlias(text: string, domains: Domains): AliasInput | Fault {
  const { host, slug } = splitHost(text, domains, askingWorkspace())
  const domainNo = host === null ? undefined : checkDomain(host, domains)
  if (domainNo instanceof Fault) return domainNo
  const name: SlugName | Fault = parseSlug(slug)
  return name instanceof Fault || domainNo === undefined ? name : { ...name, domainNo }
}

/**
 * Reads `host/slug`. A first segment is a host where the instance serves or served one of that name;
 * every other one belongs to the slug. {@link formatAlias} writes what is read back as the same.
 * @param workspaceNo who asks: another workspace's host is as unknown as any other; absent: all are known
 */
export function splitHost(
  text: string,
  domains: Pick<Domains, 'knows'>,
  workspaceNo?: number | null,
): { host: string | null; slug: string } {
  const slash = text.indexOf('/')
  const isHost = slash >= 0 && domains.knows(text.slice(0, slash), workspaceNo)
  if (!isHost) return { host: null, slug: text }
  return { host: text.slice(0, slash), slug: text.slice(slash + 1) }
}

/** An alias of a link: with its host where that is another's, or where it would be read as one. */
export function formatAlias(
  { slug, domainNo }: { slug: string; domainNo: number },
  own: { domain_no: number; workspace_no: number },
  domains: Pick<Domains, 'knows' | 'hostOf'>,
): string {
  const isPlain =
    domainNo === own.domain_no && splitHost(slug, domains, own.workspace_no).host === null
  return isPlain ? slug : `${domains.hostOf(domainNo)}/${slug}`
}

/** Paths of the server. */
const SERVED = `
  api app assets docs healthz livez mcp metrics openapi openapi.json readyz shared
  static
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
  ads ads.txt apple-app-site-association apple-touch-icon apple-touch-icon.png
  apple-touch-icon-precomposed.png browserconfig browserconfig.xml crossdomain crossdomain.xml
  favicon favicon.ico favicon.svg humans humans.txt manifest manifest.json robots robots.txt
  security.txt service-worker service-worker.js site.webmanifest sitemap sitemap.xml sw sw.js
  well-known
`

/**
 * First segments, as keys of `slugKey`, that no slug has on the instance's own host: paths that the
 * server answers itself, that browsers and crawlers ask every host for, or that visitors would take
 * for the service's own.
 */
export const RESERVED_SEGMENTS: ReadonlySet<string> = new Set(
  `${SERVED} ${PAGES} ${ASKED_FOR}`.trim().split(/\s+/),
)
