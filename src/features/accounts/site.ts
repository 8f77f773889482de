/** The path of better-auth. */
export const AUTH_PATH = '/app/api/auth'
/** How long a session lasts without being used. */
export const SESSION_SECONDS = 14 * 86_400
/** A session in use is extended once it is this old. */
export const PROLONG_AFTER_SECONDS = 86_400
/** How long links in messages work. */
export const LINK_SECONDS = 3_600

/** Whether passkeys work at this URL: its host is a name, or this machine. */
export function hasPasskeys(baseUrl: string): boolean {
  const { hostname, protocol } = new URL(baseUrl)
  if (isLoopback(hostname)) return true
  return protocol === 'https:' && !/^[\d.]+$|^\[/.test(hostname)
}

/** Origins of this machine: its address and `localhost` are treated as the same. */
export function localOrigins(baseUrl: string): string[] {
  const { hostname, port, protocol } = new URL(baseUrl)
  if (!isLoopback(hostname)) return []
  return [`${protocol}//localhost${port === '' ? '' : `:${port}`}`]
}

/** Whether a host is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}
