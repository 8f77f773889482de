import { canonicalHost } from '../../lib/validation/host.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'

/** The longest host whose TXT record's name fits into DNS (RFC 1035 §2.3.4). */
export const HOST_LENGTH_MAX = 253 - '_slugline.'.length

const NOT_A_HOST = /[\s/:?#@\\*]/
/** At least two labels, the last not numeric, so that IP addresses don't match. */
const LABELS = /^(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/** A host in DNS notation. */
export function checkHost(text: string): string | ValidationIssue {
  const host = NOT_A_HOST.test(text) ? '' : canonicalHost(text)
  if (!LABELS.test(host) || host.endsWith('.localhost')) return new ValidationIssue('INVALID_HOST')
  return host.length > HOST_LENGTH_MAX
    ? new ValidationIssue('TOO_LONG', { max: HOST_LENGTH_MAX })
    : host
}

/** A color in CSS notation with six digits. */
export function checkColor(text: string): string | ValidationIssue {
  return /^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : new ValidationIssue('INVALID_COLOR')
}

const ADDRESS_LENGTH_MAX = 2_048

/** The address of an image. */
export function checkLogo(text: string): string | ValidationIssue {
  if (text.length > ADDRESS_LENGTH_MAX)
    return new ValidationIssue('TOO_LONG', { max: ADDRESS_LENGTH_MAX })
  const url = URL.parse(text)
  if (url === null) return new ValidationIssue('INVALID_URL')
  if (url.protocol !== 'https:')
    return new ValidationIssue('URL_SCHEME_NOT_ALLOWED', { allowed: ['https'] })
  if (url.username !== '' || url.password !== '') return new ValidationIssue('URL_HAS_CREDENTIALS')
  return url.href
}
