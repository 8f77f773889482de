import { type Locale, translate } from '../../lib/i18n/index.ts'
import { hasInvisible } from '../../lib/validation/invisible.ts'
import { shadowedRules } from '../../redirect/rules/index.ts'
import type { Link } from './schemas.ts'
import { WARNING_CODES, type WarningCode } from './warning-schema.ts'

/** A warning without its message. */
export interface Warning {
  field: string
  code: WarningCode
  params?: Readonly<Record<string, string>>
}

/** Distinguishes warnings from other codes. */
export function isWarning<T extends { code: string }>(one: T): one is T & { code: WarningCode } {
  return (WARNING_CODES as readonly string[]).includes(one.code)
}

/** A warning with its message. */
export function describeWarning({ field, code, params }: Warning, locale: Locale) {
  return { field, code, message: translate(locale, `warning.${code}`, params) }
}

/** A lower share is less than one visitor in a thousand. */
const SHARE_MIN = 0.001

/** A link in the response of a write. The language is negotiated only if there are warnings. */
export function withWarnings(link: Link, now: number, reader: { readonly locale: Locale }): Link {
  const warnings = warningsOf(link, now).map((warning) => describeWarning(warning, reader.locale))
  return warnings.length === 0 ? link : { ...link, warnings }
}

/** The probable mistakes of a link. */
export function warningsOf(link: Link, now: number): Warning[] {
  const warnings: Warning[] = []
  const warn = (field: string, code: WarningCode, params = {}) =>
    warnings.push({ field, code, params })
  for (const [field, url] of destinationsOf(link)) {
    if (url && hasInvisible(url)) warn(field, 'INVISIBLE_CHARACTERS')
  }
  if (link.expires_at !== null && Date.parse(link.expires_at) <= now) {
    warn('expires_at', 'EXPIRES_IN_PAST')
  }
  for (const [at, by] of shadowedRules(link.rules)) {
    warn(`rules[${at}]`, 'SHADOWED_RULE', { other: `rules[${by}]` })
  }
  const splits = [['variants', link.variants] as const].concat(
    link.rules.map(({ then }, i) => [`rules[${i}].then.variants`, then.variants ?? []] as never),
  )
  for (const [field, variants] of splits) {
    const sum = variants.reduce((all, { weight }) => all + weight, 0)
    for (const [i, { weight }] of variants.entries()) {
      if (weight / sum < SHARE_MIN) warn(`${field}[${i}].weight`, 'NEGLIGIBLE_WEIGHT')
    }
  }
  return warnings
}

/** The URLs of a link, with their paths. */
function destinationsOf(link: Link): [field: string, url: string | null | undefined][] {
  const { destination_url, fallback_url, social, variants, rules } = link
  const those = (path: string, list: Link['variants'] = []) =>
    list.map((variant, i): [string, string] => [
      `${path}[${i}].destination_url`,
      variant.destination_url,
    ])
  return [
    ['destination_url', destination_url],
    ['fallback_url', fallback_url],
    ['social.image_url', social?.image_url],
    ...those('variants', variants),
    ...rules.flatMap(({ then }, i): [string, string | undefined][] => [
      [`rules[${i}].then.destination_url`, then.destination_url],
      ...those(`rules[${i}].then.variants`, then.variants),
    ]),
  ]
}
