import type { LinksSearch } from './search.ts'

let last: LinksSearch = {}

/** Keeps what the list was last asked for, so that the way back leads there. */
export function keepSearch(search: LinksSearch): void {
  const { create: _, edit: __, ...list } = search
  last = list
}

export function lastSearch(): LinksSearch {
  return last
}
