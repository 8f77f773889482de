import { systemClock } from '../../lib/base/clock.ts'
import { hstsOf } from '../../lib/base/headers.ts'
import { createIds } from '../../lib/base/ids.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { ERRORS } from '../../lib/errors/index.ts'
import { negotiateLocale, translate } from '../../lib/i18n/index.ts'

const ALLOWED = ['GET', 'HEAD', 'OPTIONS']
const ids = createIds(systemClock, systemRandom)

/** Headers of responses to monitoring. */
export function watchHeaders(contentType: string): Record<string, string> {
  return {
    'content-type': contentType,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy': "default-src 'none'",
    'x-request-id': ids.next('req'),
  }
}

/** Adds the header that keeps browsers on TLS if the public URL is https. */
export async function onTls(
  answer: Response | Promise<Response>,
  baseUrl: string,
): Promise<Response> {
  const response = await answer
  for (const [name, value] of Object.entries(hstsOf(baseUrl))) response.headers.set(name, value)
  return response
}

/** The response to a method other than GET and HEAD, or null. */
export function otherMethod(request: Request): Response | null {
  const { method, headers, url } = request
  if (method === 'GET' || method === 'HEAD') return null
  const own: Record<string, string> = {
    ...watchHeaders('application/json'),
    allow: ALLOWED.join(', '),
  }
  if (method === 'OPTIONS') {
    delete own['content-type']
    return new Response(null, { status: 204, headers: own })
  }
  const code = 'METHOD_NOT_ALLOWED'
  const locale = negotiateLocale({
    // Without a valid Host header the URL is only a path.
    query: URL.parse(url, 'http://localhost')?.searchParams.get('lang') ?? null,
    acceptLanguage: headers.get('accept-language'),
  })
  const message = translate(locale, `error.${code}`, { allowed: ALLOWED })
  const body = { error: { code, message, request_id: own['x-request-id'] } }
  return Response.json(body, {
    status: ERRORS[code].status,
    headers: { ...own, 'content-language': locale, vary: 'Accept-Language' },
  })
}

/** Headers that proxies add. */
const FORWARDING = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'cf-connecting-ip',
  'true-client-ip',
]

/** Whether a request has headers of a proxy. */
export function isForwarded(headers: Headers): boolean {
  return FORWARDING.some((name) => headers.has(name))
}

/** Whether a peer's address is this machine. */
export function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '')
  return plain === '::1' || /^127(\.\d{1,3}){3}$/.test(plain)
}

/** Whether a `Host` header names this machine by a name that no public visitor would use. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/:\d*$/, '').toLowerCase()
  if (name === 'localhost' || name.endsWith('.localhost')) return true
  return isLoopback(name.replace(/^\[(.*)\]$/, '$1'))
}
