import { type Random, randomString } from '../../lib/base/random.ts'
import { EMOJI, withoutNeededJoiners } from '../../lib/validation/invisible.ts'
import { compose, foldCase, foldWithDots, longerThan } from '../../lib/validation/text.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { DEFAULT_DOMAIN, type Domains } from '../domains/index.ts'
import { BOUNDS, checkDomain } from './values.ts'

/** The most characters (code points) that a slug may have. */
export const SLUG_LENGTH_MAX = 128
/** The most segments of a slug, separated by `/`. */
export const SLUG_SEGMENTS_MAX = 8
/** The value of `slugs.special` for a link that also matches everything below its slugs. */
export const SPECIAL_PREFIX = 2
/** The alphabet of generated slugs by default: no ambiguous characters. */
export const SLUG_ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz'
const PLAIN_SLUG = /^[a-z0-9_-]+$/
/** The characters of a slug besides emoji. */
const ALLOWED = /^[\p{L}\p{M}\p{Nd}._~/-]*$/u
/** Variation selectors, and joiners of letters: those of emoji make another emoji. */
const UNSEEN = /[\uFE0E\uFE0F]|(?<=[\p{L}\p{M}])[\u200C\u200D]/gu
/** A leading mark combines with the character before it; invisible characters mislead. */
const MISLEADING = /(?:^|\/)\p{M}|\p{Default_Ignorable_Code_Point}/u

/** A slug as typed (in NFC), and the key that makes it unique. */
export interface SlugName {
  slug: string
  key: string
}

/**
 * The key of a slug, the same for slugs that differ only in case, composition, in emoji style or in joiners;
 * on a case-sensitive domain not in case. The key of a slug's first segments is a prefix of its
 * key.
 */
export function slugKey(slug: string, isCaseSensitive = false): string {
  if (PLAIN_SLUG.test(slug)) return slug
  const plain = slug.replaceAll(UNSEEN, '')
  if (isCaseSensitive) return compose(plain)
  return dottedKeys.size === 0 ? foldCase(plain) : dottedOr(plain)
}

let dottedKeys: ReadonlySet<string> = new Set()

/**
 * Sets the stored keys that an earlier version folded, with the dot of an İ. Slugs with these keys
 * keep them: others may have the keys without dots.
 */
export function keepDottedKeys(keys: readonly string[]): void {
  dottedKeys = new Set(keys)
}

/** The key of a slug, of whose beginnings some may be kept with their dots. */
function dottedOr(slug: string): string {
  const dotted = foldWithDots(slug)
  for (let end = dotted.length; end > 0; end = dotted.lastIndexOf('/', end - 1)) {
    const start = dotted.slice(0, end)
    if (dottedKeys.has(start)) return start + foldCase(dotted.slice(end))
  }
  return foldCase(slug)
}

/** Validates the characters of a slug chosen by a client; see also {@link isReserved}. */
export function parseSlug(text: string): SlugName | ValidationIssue {
  if (PLAIN_SLUG.test(text) && text.length <= SLUG_LENGTH_MAX) return { slug: text, key: text }
  if (text === '') return new ValidationIssue('TOO_SHORT', { min: 1 })
  // At most four characters become one.
  if (longerThan(text, 4 * SLUG_LENGTH_MAX))
    return new ValidationIssue('TOO_LONG', { max: SLUG_LENGTH_MAX })
  const slug = text.isWellFormed() ? compose(text) : text
  if (longerThan(slug, SLUG_LENGTH_MAX))
    return new ValidationIssue('TOO_LONG', { max: SLUG_LENGTH_MAX })
  const letters = withoutNeededJoiners(slug).replaceAll(EMOJI, '')
  if (!ALLOWED.test(letters) || MISLEADING.test(letters)) return new ValidationIssue('INVALID_SLUG')
  const segments = slug.split('/')
  const isPath = segments.every((segment) => !NO_SEGMENT.test(segment))
  if (!isPath || segments.length > SLUG_SEGMENTS_MAX) return new ValidationIssue('INVALID_SLUG')
  if (seenAs(slug) === WELL_KNOWN) return new ValidationIssue('SLUG_RESERVED')
  return { slug, key: slugKey(slug) }
}

/** Empty, or resolved by browsers before they send it. */
const NO_SEGMENT = /^\.{0,2}$/
/** On every domain: files below it prove control of the host to certificate authorities. */
const WELL_KNOWN = '.well-known'

/** Whether a slug is reserved on a domain: the instance's own host serves its path itself. */
export function isReserved(slug: string, domainNo: number): boolean {
  return domainNo === DEFAULT_DOMAIN && RESERVED_SEGMENTS.has(seenAs(slug))
}

/** The first segment as it looks: with full-width and mathematical letters as plain ones. */
function seenAs(slug: string): string {
  const end = slug.indexOf('/')
  return slugKey((end < 0 ? slug : slug.slice(0, end)).normalize('NFKC'))
}

/**
 * Suggestions for a taken slug: numbered ones first, then with a random suffix.
 * @param segments how many of its segments are taken: the suffix follows them
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

/** The beginning of a text, without splitting graphemes. */
function shortened(text: string, max: number): string {
  if (!longerThan(text, max)) return text
  let start = ''
  for (const { segment } of graphemes.segment(text)) {
    if (longerThan(start + segment, max)) break
    start += segment
  }
  return start
}

/** An alias; without a domain it is on the link's own. */
export interface AliasInput extends SlugName {
  domainNo?: number
}

/** Aliases without duplicates. On case-sensitive domains only the link's domain decides that. */
export function checkAliases(
  aliases: readonly AliasInput[],
  domains: Pick<Domains, 'hasCaseSensitive'>,
  workspaceNo: number | null,
): readonly AliasInput[] | ValidationIssue[] {
  if (aliases.length > BOUNDS.aliases)
    return [new ValidationIssue('TOO_MANY', { max: BOUNDS.aliases })]
  const isExact = domains.hasCaseSensitive(workspaceNo)
  const identities = aliases.map(
    ({ domainNo, slug, key }) => `${domainNo ?? ''}/${isExact ? slug : key}`,
  )
  const repeated = identities.flatMap((identity, i) =>
    identities.indexOf(identity) < i ? [new ValidationIssue('DUPLICATE_VALUE').at(i)] : [],
  )
  return repeated.length > 0 ? repeated : aliases
}

/** An alias: a slug, or `host/slug` of a domain that the workspace knows. */
export function checkAlias(
  text: string,
  domains: Domains,
  workspaceNo: number | null,
): AliasInput | ValidationIssue {
  const { host, slug } = splitHost(text, domains, workspaceNo)
  const domainNo = host === null ? undefined : checkDomain(host, domains, workspaceNo)
  if (domainNo instanceof ValidationIssue) return domainNo
  const name: SlugName | ValidationIssue = parseSlug(slug)
  return name instanceof ValidationIssue || domainNo === undefined ? name : { ...name, domainNo }
}

/**
 * Splits `host/slug`. The first segment is a host if the instance serves or served it; otherwise it
 * is part of the slug. The inverse of {@link formatAlias}.
 * @param workspaceNo the workspace, which doesn't know others' hosts; absent: all are known
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

/** An alias of a link: with its host if that differs, or if it would be parsed as one. */
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

/** Pages that exist or may exist. */
const PAGES = `
  about account admin auth billing console dashboard domains health help index invite join
  keys legal links login logout oauth password plans pricing privacy profile register reset
  search security settings setup signin signout signup sso stats status support team terms
  verify webhooks workspaces
`

/** Files requested by browsers and crawlers. */
const UNASKED = `
  ads ads.txt apple-app-site-association apple-touch-icon apple-touch-icon.png
  apple-touch-icon-precomposed.png browserconfig browserconfig.xml crossdomain crossdomain.xml
  favicon favicon.ico favicon.svg humans humans.txt manifest manifest.json robots robots.txt
  security.txt service-worker service-worker.js site.webmanifest sitemap sitemap.xml sw sw.js
  well-known
`

/** First segments of paths that browsers and crawlers request on their own. */
export const REQUESTED_UNASKED: ReadonlySet<string> = new Set([
  ...UNASKED.trim().split(/\s+/),
  WELL_KNOWN,
])

/**
 * First segments, as keys of `slugKey`, that slugs on the instance's own host can't have: paths
 * served by the server itself, requested by browsers and crawlers from every host, or likely to be
 * mistaken for the service's own.
 */
export const RESERVED_SEGMENTS: ReadonlySet<string> = new Set(
  `${SERVED} ${PAGES} ${UNASKED}`.trim().split(/\s+/),
)
