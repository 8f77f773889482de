import { type LanguageRange, parseAcceptLanguage } from './accept-language.ts'
import { neighbour, sameLanguage } from './best-locale.ts'
import {
  DEFAULT_LOCALE,
  LOCALES,
  type Locale,
  PSEUDO_LOCALES,
  type SupportedLocale,
} from './locales.ts'

/** Where a language can come from, strongest first. */
export interface LocaleSources {
  /** The value of `?lang=`. */
  query?: string | null | undefined
  /** The Accept-Language header. */
  acceptLanguage?: string | null | undefined
  /** The workspace's language. */
  fallback?: Locale | null | undefined
  /** Lets `en-XA` and `ar-XB` be asked for by their exact tags; for tests. */
  pseudoLocales?: boolean | undefined
}

/** What a header says once it is read; independent of the fallback, so it can be kept. */
interface Preference {
  readonly locale: Locale | null
  /** A supported language that is near to one of those asked for, where none of them is supported. */
  readonly near: Locale | null
  readonly anyOther: boolean
  readonly refused: ReadonlySet<Locale>
}

const NOTHING: Preference = { locale: null, near: null, anyOther: false, refused: new Set() }

const MAX_CACHED = 500
const MAX_CACHED_LENGTH = 256
const cache = new Map<string, Preference>()

/**
 * The language of an answer: `?lang=`, then Accept-Language by weight and best fit (RFC 9110 §12.5.4,
 * RFC 4647), then the workspace's language, then English. What is unknown or malformed falls through;
 * a language that is only near to one of these comes after all that were asked for by name.
 */
export function negotiateLocale(sources: LocaleSources): Locale {
  const { query, acceptLanguage, fallback, pseudoLocales = false } = sources
  if (query) {
    const asked = find(query, pseudoLocales)
    if (asked !== null) return asked
  }
  const last = fallback ?? DEFAULT_LOCALE
  const preference = acceptLanguage ? preferenceOf(acceptLanguage, pseudoLocales) : NOTHING
  if (preference.locale !== null) return preference.locale
  const near = (query ? neighbour(query) : null) ?? preference.near
  const { refused } = preference
  if (near !== null && !refused.has(near)) return near
  if (refused.size === 0 || !refused.has(last)) return last
  if (!refused.has(DEFAULT_LOCALE)) return DEFAULT_LOCALE
  const other = preference.anyOther ? LOCALES.find((locale) => !refused.has(locale)) : undefined
  return other ?? last
}

function preferenceOf(header: string, pseudoLocales: boolean): Preference {
  const key = pseudoLocales ? `pseudo ${header}` : header
  const known = cache.get(key)
  if (known !== undefined) return known
  const preference = read(parseAcceptLanguage(header), pseudoLocales)
  if (key.length <= MAX_CACHED_LENGTH) {
    // The oldest goes: a few headers make up nearly all requests and come back at once.
    if (cache.size >= MAX_CACHED) for (const oldest of cache.keys()) if (cache.delete(oldest)) break
    cache.set(key, preference)
  }
  return preference
}

function read(ranges: readonly LanguageRange[], pseudoLocales: boolean): Preference {
  const refused = new Set<Locale>()
  if (ranges.some(({ q }) => q === 0)) {
    for (const locale of LOCALES) if (isRefused(locale, ranges)) refused.add(locale)
  }
  let near: Locale | null = null
  for (const { tag, q } of ranges) {
    if (q === 0) break
    if (tag === '*') return { locale: null, near, anyOther: true, refused }
    const locale = find(tag, pseudoLocales)
    if (locale !== null && !refused.has(locale)) {
      return { locale, near: null, anyOther: false, refused }
    }
    if (locale === null && near === null) near = neighbour(tag)
    if (near !== null && refused.has(near)) near = null
  }
  return { locale: null, near, anyOther: false, refused }
}

/** The most specific range that covers the language decides (RFC 4647 §3.3.1). */
function isRefused(locale: SupportedLocale, ranges: readonly LanguageRange[]): boolean {
  const tag = locale.toLowerCase()
  let specificity = -1
  let refused = false
  for (const range of ranges) {
    const length = range.tag === '*' ? 0 : range.tag.length
    const covers = length === 0 || tag === range.tag || tag.startsWith(`${range.tag}-`)
    if (covers && length > specificity) {
      specificity = length
      refused = range.q === 0
    }
  }
  return refused
}

function find(tag: string, pseudoLocales: boolean): Locale | null {
  if (pseudoLocales) {
    const pseudo = PSEUDO_LOCALES.find((locale) => locale.toLowerCase() === tag.toLowerCase())
    if (pseudo !== undefined) return pseudo
  }
  return sameLanguage(tag)
}
