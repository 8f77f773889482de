import { defined, oneOf } from '../../app/search-params.ts'

/** The search parameters of the page. */
export interface TagsSearch {
  tab?: 'folders'
}

export function tagsSearch(search: Record<string, unknown>): TagsSearch {
  return defined({ tab: oneOf(search.tab, ['folders'] as const) })
}
