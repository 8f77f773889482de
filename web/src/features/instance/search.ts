import { defined, textOf } from '../../app/search-params.ts'

/** The search parameters of the page. */
export interface InstanceSearch {
  search?: string
}

export function instanceSearch(search: Record<string, unknown>): InstanceSearch {
  return defined({ search: textOf(search.search) })
}
