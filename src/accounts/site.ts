/** Where better-auth answers. */
export const AUTH_PATH = '/app/api/auth'
/** How long a session lasts without being used. */
export const SESSION_SECONDS = 14 * 86_400
/** A session that is in use is prolonged once it is this old. */
export const PROLONG_AFTER_SECONDS = 86_400
/** How long links in messages work. */
export const LINK_SECONDS = 3_600

/** Whether passkeys can be used at this address: its host is a name, or this machine. */
export function hasPasskeys(baseUrl: string): boolean {
  const { hostname, protocol } = new URL(baseUrl)
  if (isLoopback(hostname)) return true
  return protocol === 'https:' && !/^[\d.]+$|^\[/.test(hostname)
}

/** On one's own machine the address and the name `localhost` are the same to people. */
export function localOrigins(baseUrl: string): string[] {
  const { hostname, port, protocol } = new URL(baseUrl)
  if (!isLoopback(hostname)) return []
  return [`${protocol}//localhost${port === '' ? '' : `:${port}`}`]
}

/** Whether a host is this machine. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}
