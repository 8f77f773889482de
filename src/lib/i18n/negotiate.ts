import { match } from '@formatjs/intl-localematcher'
import { weighted } from '../base/accept.ts'
import { createMemo } from '../base/memo.ts'
import {
  DEFAULT_LOCALE,
  isSupportedLocale,
  LOCALES,
  type Locale,
  PSEUDO_LOCALES,
  type SupportedLocale,
} from './locales.ts'

/** The sources of a language, by precedence. */
export interface LocaleSources {
  /** The value of `?lang=`. */
  query?: string | null | undefined
  /** The Accept-Language header. */
  acceptLanguage?: string | null | undefined
  /** The workspace's language. */
  fallback?: Locale | null | undefined
  /** Accepts the exact tags `en-XA` and `ar-XB`; for tests. */
  pseudoLocales?: boolean | undefined
}

/** A language range (RFC 4647 §2.1), and its weight from 0 to 1. */
type Range = ReturnType<typeof weighted>[number]

// Longer values name no language; cutting them bounds the cache's memory.
const QUERY_LENGTH_MAX = 100
const RANGE = /^(?:\*|[a-z]{1,8}(?:-[a-z0-9]{1,8})*)$/

/**
 * The language of a response: `?lang=`, then Accept-Language by weight and best fit (RFC 9110
 * §12.5.4, RFC 4647), then the workspace's language, then English. Unknown and malformed values are
 * skipped; a language that is only near to a requested one ranks after all exact matches.
 */
export function negotiateLocale(sources: LocaleSources): Locale {
  const { acceptLanguage, fallback } = sources
  const query = sources.query?.slice(0, QUERY_LENGTH_MAX)
  if (sources.pseudoLocales) {
    const tag = (query || acceptLanguage)?.toLowerCase()
    const pseudo = PSEUDO_LOCALES.find((locale) => locale.toLowerCase() === tag)
    if (pseudo !== undefined) return pseudo
  }
  const asked = query ? sameLanguage(query) : null
  if (asked !== null) return asked
  const ranges = weighted(acceptLanguage ?? '')
    .filter(({ name }) => RANGE.test(name))
    .sort((a, b) => b.q - a.q)
  const isTaken = (locale: Locale) => !isRefused(locale, ranges)
  const wanted = ranges.filter(({ q }) => q > 0).map(({ name }) => name)
  const anyAt = wanted.indexOf('*')
  const named = anyAt === -1 ? wanted : wanted.slice(0, anyAt)
  const last = fallback ?? DEFAULT_LOCALE
  const others: Locale[] = [last, DEFAULT_LOCALE, ...(anyAt === -1 ? [] : LOCALES)]
  return (
    first(named, sameLanguage, isTaken) ??
    first(query ? [query, ...named] : named, neighbour, isTaken) ??
    others.find(isTaken) ??
    last
  )
}

function first(
  tags: readonly string[],
  find: (tag: string) => SupportedLocale | null,
  isTaken: (locale: Locale) => boolean,
): Locale | undefined {
  for (const tag of tags) {
    const locale = find(tag)
    if (locale !== null && isTaken(locale)) return locale
  }
  return undefined
}

/** Whether the most specific range that covers the language has weight 0 (RFC 4647 §3.3.1). */
function isRefused(locale: Locale, ranges: readonly Range[]): boolean {
  const tag = locale.toLowerCase()
  const covering = ranges.filter(
    ({ name }) => name === '*' || tag === name || tag.startsWith(`${name}-`),
  )
  const length = ({ name }: Range) => (name === '*' ? 0 : name.length)
  const [decisive] = covering.sort((a, b) => length(b) - length(a))
  return decisive?.q === 0
}

// RFC 5646 §4.4.1 recommends support for 35 characters; extensions may make a tag longer.
const TAG_LENGTH_MAX = 64
const TAGS_REMEMBERED = 500
const NONE = 'und'

const byTag = new Map<string, SupportedLocale>(
  LOCALES.map((locale) => [locale.toLowerCase(), locale]),
)
const byScript = new Map<string, SupportedLocale>(
  LOCALES.map((locale) => [scriptKey(new Intl.Locale(locale).maximize()), locale]),
)
/** Scripts for which `nearest` looks for a neighbour; a closed list to bound its cache. */
const SCRIPTS: ReadonlySet<string> = new Set(['Arab', 'Cyrl', 'Deva', 'Hans', 'Hant', 'Latn'])

/**
 * The supported language that a tag names, or null: the same language in the same script, in any
 * region (zh-TW → zh-Hant, pt-PT → pt-BR). An ill-formed tag is shortened from its end (RFC 4647
 * §3.4); nothing throws.
 */
const sameLanguage = createMemo(TAGS_REMEMBERED, (tag: string): SupportedLocale | null => {
  const exact = byTag.get(normalized(tag))
  if (exact !== undefined) return exact
  const locale = parse(tag)
  return locale === null ? null : (byScript.get(scriptKey(locale)) ?? null)
})

/**
 * The supported language that, according to CLDR, readers of another one understand (gsw → de, ca →
 * es), or null. Never English: CLDR returns it where it knows nothing nearer, and it is the
 * fallback anyway.
 */
const neighbour = createMemo(TAGS_REMEMBERED, (tag: string): SupportedLocale | null => {
  const locale = parse(tag)
  const found = locale === null ? null : nearest(locale)
  return found === DEFAULT_LOCALE ? null : found
})

function normalized(tag: string): string {
  return tag.replaceAll('_', '-').toLowerCase()
}

function parse(tag: string): Intl.Locale | null {
  if (tag.length > TAG_LENGTH_MAX) return null
  let rest = normalized(tag)
  for (; rest !== ''; rest = rest.slice(0, Math.max(0, rest.lastIndexOf('-')))) {
    try {
      const locale = new Intl.Locale(rest)
      return locale.language === NONE ? null : locale.maximize()
    } catch {
      // Retried with a shorter tag.
    }
  }
  return null
}

/**
 * The matcher caches every tag that it was ever given. So it gets only languages that CLDR knows,
 * in a few scripts and without region or variants: a set that clients can't grow.
 */
function nearest({ language, script }: Intl.Locale): SupportedLocale | null {
  const usual = new Intl.Locale(language).maximize().script
  if (usual === undefined || script === undefined || !SCRIPTS.has(script)) return null
  const best = match([script === usual ? language : `${language}-${script}`], LOCALES, NONE)
  return isSupportedLocale(best) ? best : null
}

function scriptKey({ language, script }: Intl.Locale): string {
  return `${language}-${script ?? ''}`
}
