/**
 * The destination with the visitor's parameters behind its own, byte for byte. They go into the
 * query alone: neither the origin nor the path nor the fragment can be reached by them.
 *
 * @param search the visit's query string with its `?`, or empty.
 */
export function withVisitorsQuery(target: string, search: string): string {
  if (search.length < 2) return target
  const hash = target.indexOf('#')
  const end = hash < 0 ? target.length : hash
  const base = target.slice(0, end)
  const query = base.indexOf('?')
  const last = base.charAt(end - 1)
  const joint = query < 0 ? '?' : last === '?' || last === '&' ? '' : '&'
  return base + joint + search.slice(1) + target.slice(end)
}
