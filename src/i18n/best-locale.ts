import { match } from '@formatjs/intl-localematcher'
import { createMemo } from '../base/memo.ts'
import { DEFAULT_LOCALE, isSupportedLocale, LOCALES, type SupportedLocale } from './locales.ts'

// RFC 5646 §4.4.1 recommends room for 35 characters; extensions may make a tag longer.
const TAG_LENGTH_MAX = 64
const TAGS_REMEMBERED = 500
const NONE = 'und'

const byTag = new Map<string, SupportedLocale>(
  LOCALES.map((locale) => [locale.toLowerCase(), locale]),
)
const byScript = new Map<string, SupportedLocale>(
  LOCALES.map((locale) => [scriptKey(new Intl.Locale(locale).maximize()), locale]),
)
/** Scripts in which a language may be matched to a neighbour; a closed list, see `nearest`. */
const SCRIPTS: ReadonlySet<string> = new Set(['Arab', 'Cyrl', 'Deva', 'Hans', 'Hant', 'Latn'])

/**
 * The supported language that a tag names, or null: the same language in the same script, whatever
 * the region (zh-TW → zh-Hant, pt-PT → pt-BR). An ill-formed tag is shortened from its end
 * (RFC 4647 §3.4); nothing throws.
 */
export const sameLanguage = createMemo(TAGS_REMEMBERED, (tag: string): SupportedLocale | null => {
  const exact = byTag.get(normalized(tag))
  if (exact !== undefined) return exact
  const locale = parse(tag)
  return locale === null ? null : (byScript.get(scriptKey(locale)) ?? null)
})

/**
 * The supported language that CLDR says readers of another understand (gsw → de, ca → es), or null.
 * Never English: CLDR names it where it knows nothing nearer, and English is the fallback anyway.
 */
export const neighbour = createMemo(TAGS_REMEMBERED, (tag: string): SupportedLocale | null => {
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
      // Shortened and tried again.
    }
  }
  return null
}

/**
 * The matcher remembers every tag that it was ever given, for good. So it is only given languages
 * that CLDR knows, in a few scripts and without region or variants: a set that no client can grow.
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
