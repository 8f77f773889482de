const PATH = '/.well-known/security.txt'
const DAY_MS = 86_400_000
/** Shorter than the year that RFC 9116 §2.5.5 recommends as the longest. */
const VALID_DAYS = 180

/** Serves the contact for security issues (RFC 9116); null: another path, or none is set. */
export function createSecurityTxt(deps: {
  contact: string | null
  baseUrl: string
  clock: { now(): number }
}) {
  const { contact, baseUrl, clock } = deps
  return ({ method }: Request, path: string): Response | null => {
    if (path !== PATH || contact === null || (method !== 'GET' && method !== 'HEAD')) return null
    const today = Math.floor(clock.now() / DAY_MS)
    const expires = new Date((today + VALID_DAYS) * DAY_MS).toISOString()
    const lines = [`Contact: ${contact}`, `Expires: ${expires}`, `Canonical: ${baseUrl}${PATH}`]
    return new Response(`${lines.join('\n')}\n`, {
      headers: {
        'Content-Type': 'text/plain; charset=utf-8',
        'Cache-Control': 'public, max-age=3600',
        'X-Content-Type-Options': 'nosniff',
      },
    })
  }
}
