/** Headers by which a proxy says that it stands in between. */
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

/** Whether a proxy has passed a request on, as far as it says so. */
export function isForwarded(headers: Headers): boolean {
  return FORWARDING.some((name) => headers.has(name))
}

/** Whether a peer's address is this machine's own. */
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
