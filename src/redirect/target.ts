/**
 * The destination with the visitor's parameters behind its own, byte for byte. They go into the
 * query alone: neither the origin nor the path nor the fragment can be reached by them.
 *
 * @param search the visit's query string with its `?`, or empty. What a program sends behind a
 *   `#`, which no browser does, is no part of it.
 */
export function withVisitorsQuery(target: string, search: string): string {
  const query = search.split('#', 1)[0] as string
  if (query.length < 2) return target
  const hash = target.indexOf('#')
  const end = hash < 0 ? target.length : hash
  const base = target.slice(0, end)
  const own = base.indexOf('?')
  const last = base.charAt(end - 1)
  const joint = own < 0 ? '?' : last === '?' || last === '&' ? '' : '&'
  return base + joint + query.slice(1) + target.slice(end)
}
