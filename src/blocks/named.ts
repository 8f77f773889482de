import { DEFAULT_DOMAIN, type Domains } from '../domains/index.ts'
import { AppError, type ErrorDetail } from '../errors/index.ts'
import { type Named, slugKey } from '../links/index.ts'

/**
 * Reads the id of a link, a slug of the default domain, `host/slug`, or a short address.
 * @throws AppError VALIDATION_FAILED
 */
export function parseNamed(text: string, domains: Pick<Domains, 'noOf'>): Named {
  if (text.startsWith('lnk_')) return { id: text }
  const url = /^https?:/i.test(text) ? URL.parse(text) : null
  const plain = url === null ? text : `${url.host}${decoded(url.pathname)}`
  const path = plain.trim().replace(/[/+]+$/, '')
  const slash = path.lastIndexOf('/')
  const domainNo = slash === -1 ? DEFAULT_DOMAIN : domains.noOf(path.slice(0, slash))
  if (domainNo === undefined) throw invalidValue('UNKNOWN_DOMAIN')
  const slug = path.slice(slash + 1).normalize('NFC')
  if (slug === '') throw invalidValue('INVALID_SLUG')
  return { address: { slug, key: slugKey(slug), domainNo } }
}

/** The error for a value that can't be blocked. */
export function invalidValue(code: 'UNKNOWN_DOMAIN' | 'INVALID_SLUG' | 'INVALID_VALUE'): AppError {
  const field = 'value'
  const detail: ErrorDetail =
    code === 'INVALID_VALUE' ? { field, code, params: {} } : { field, code }
  return new AppError('VALIDATION_FAILED', { details: [detail] })
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}
