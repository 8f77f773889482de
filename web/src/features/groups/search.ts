import { defined, oneOf } from '../../app/search-params.ts'

/** What the address of the page has. */
export interface TagsSearch {
  tab?: 'folders'
}

export function tagsSearch(search: Record<string, unknown>): TagsSearch {
  return defined({ tab: oneOf(search.tab, ['folders'] as const) })
}
