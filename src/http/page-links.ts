/** Where a page stands in its list. */
export interface PagePosition {
  /** 1-based; absent where the caller walks by cursor. */
  page?: number | undefined
  has_more: boolean
  next_cursor: string | null
  prev_cursor: string | null
}

/**
 * The `Link` header of a page (RFC 8288): the next, previous and first one, with the filters of the
 * request. Numbered pages lead to numbered ones.
 */
export function pageLinks(
  baseUrl: string,
  requestUrl: string,
  { page, has_more, next_cursor, prev_cursor }: PagePosition,
): string {
  // The host is the client's word, and may be no host at all: only what follows it counts.
  const hostAt = requestUrl.startsWith('/') ? 0 : requestUrl.indexOf('//') + 2
  const path = requestUrl.slice(requestUrl.indexOf('/', hostAt))
  const { pathname, searchParams } = new URL(baseUrl + path)
  searchParams.delete('cursor')
  searchParams.delete('page')

  function link(rel: string, name?: 'cursor' | 'page', value?: string): string {
    const parameters = new URLSearchParams(searchParams)
    if (name !== undefined && value !== undefined) parameters.set(name, value)
    const query = parameters.size === 0 ? '' : `?${parameters}`
    return `<${baseUrl}${pathname}${query}>; rel="${rel}"`
  }

  const links: string[] = []
  if (page !== undefined) {
    if (has_more) links.push(link('next', 'page', String(page + 1)))
    if (page > 1) links.push(link('prev', 'page', String(page - 1)))
    links.push(link('first', 'page', '1'))
  } else {
    if (next_cursor !== null) links.push(link('next', 'cursor', next_cursor))
    if (prev_cursor !== null) links.push(link('prev', 'cursor', prev_cursor))
    links.push(link('first'))
  }
  return links.join(', ')
}
