import ipaddr from 'ipaddr.js'
import { OS_NAMES } from '../../clicks/enrich/names.ts'
import { parseNetwork } from '../../lib/base/networks.ts'
import { canonicalHost } from '../../lib/validation/host.ts'
import { checkText } from '../../lib/validation/text.ts'
import { parseTimestamp } from '../../lib/validation/timestamp.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import type { Named } from './types.ts'

const countryNames = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/** An ISO 3166-1 code in upper case; null: unknown. */
export function countryOf(given: string): string | null {
  const code = given.toUpperCase()
  return /^[A-Z]{2}$/.test(code) && countryNames.of(code) !== undefined ? code : null
}

/** An ISO 3166-2 code in upper case; null: malformed. */
export function regionOf(given: string): string | null {
  const code = given.toUpperCase()
  return /^[A-Z]{2}-[A-Z0-9]{1,3}$/.test(code) && countryOf(code.slice(0, 2)) !== null ? code : null
}

/** A check based on a parser that returns null for impossible values; the fault has an example. */
export function readBy(read: (given: string) => string | null, example: string) {
  return (given: string): string | ValidationIssue =>
    read(given) ?? new ValidationIssue('INVALID_VALUE', { example })
}

/** A BCP 47 language tag in its canonical form; systems also write it with underscores. */
export function languageTag(given: string): string | null {
  const tag = given.replaceAll('_', '-')
  if (!/^[a-z]{2,3}(-[a-z0-9]{1,8})*$/i.test(tag)) return null
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? null
  } catch {
    return null
  }
}

/** A tag of Bokmål or Nynorsk as Norwegian, which includes both; any other tag as it is. */
export function asNorwegian(tag: string): string {
  return tag.replace(/^n[bn](?=-|$)/, 'no')
}

/** A host, or `*.` and a host: in lower-case ASCII, without a trailing dot. */
export function hostPattern(given: string): string | null {
  const isWild = given.startsWith('*.')
  const bare = isWild ? given.slice(2) : given
  if (bare === '' || bare.length > 253 || /[\s/?#@:\\*%]/.test(bare)) return null
  const host = canonicalHost(bare)
  // Packages of Android apps in `android-app://` referrers may contain underscores.
  if (!/^[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?$/.test(host)) return null
  return isWild ? `*.${host}` : host
}

/** A network in CIDR notation with its host bits cleared; an address is a network of one. */
export function networkOf(given: string): string | null {
  if (!isAddress(given.split('/', 1)[0] as string)) return null
  try {
    const [address, bits] = parseNetwork(given)
    const family = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6
    return `${family.networkAddressFromCIDR(`${address}/${bits}`)}/${bits}`
  } catch {
    return null
  }
}

/** Four-part IPv4 only: other forms (017.1, 0x7f000001) are read differently elsewhere. */
function isAddress(text: string): boolean {
  return text.includes(':') ? ipaddr.isValid(text) : ipaddr.IPv4.isValidFourPartDecimal(text)
}

const checkName = checkText({ max: 100, min: 1 })
const SYSTEMS_BY_KEY = new Map(OS_NAMES.map((name) => [name.toLowerCase(), name]))

/** The name of an operating system, as in statistics. */
export function systemName(given: string): string | ValidationIssue {
  const name = SYSTEMS_BY_KEY.get(given.toLowerCase())
  return name ?? new ValidationIssue('INVALID_VALUE', { allowed: OS_NAMES })
}

/** The name of a browser: statistics have many, including apps and programs. */
export function browserName(given: string): string | ValidationIssue {
  return checkName(given.trim())
}

/** A version: up to four numbers. */
export const VERSION = /^\d{1,9}(\.\d{1,9}){0,3}$/

/** A bound of a time window: a timestamp, or a whole day of its zone. */
export function momentOf(given: string): string | ValidationIssue {
  if (!isDate(given)) {
    const ms = parseTimestamp(given)
    return ms instanceof ValidationIssue ? ms : given
  }
  try {
    return Temporal.PlainDate.from(given).toString()
  } catch {
    return new ValidationIssue('INVALID_TIMESTAMP')
  }
}

/** Whether a bound is a whole day. */
export function isDate(moment: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(moment)
}

/** Minutes since midnight; null: invalid. `24:00` is the end of a day. */
export function minutesOf(text: string): number | null {
  const parts = /^([01]\d|2[0-4]):([0-5]\d)$/.exec(text)
  if (parts === null) return null
  const minutes = Number(parts[1]) * 60 + Number(parts[2])
  return minutes > 1_440 ? null : minutes
}

/** The name in lower case. */
export function nameKey(named: Named): string {
  return (typeof named === 'string' ? named : named.name).toLowerCase()
}

/** The minimum version; none: any. */
export function minOf(named: Named): string | undefined {
  return typeof named === 'string' ? undefined : named.min
}

/** Compares versions numerically; missing parts count as 0. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a.split('.'), b.split('.')]
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = Number(left[i] ?? 0) - Number(right[i] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}
