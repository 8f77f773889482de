import type { LinksSearch } from '../search.ts'

let last: LinksSearch = {}

/** Saves the list's last query, for the link back to it. */
export function keepSearch(search: LinksSearch): void {
  const { create: _, edit: __, qr: ___, ...list } = search
  last = list
}

export function lastSearch(): LinksSearch {
  return last
}
