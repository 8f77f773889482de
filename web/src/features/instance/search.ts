import { defined, textOf } from '../../app/search-params.ts'

/** What the workspaces are searched for. */
export interface InstanceSearch {
  search?: string
}

export function instanceSearch(search: Record<string, unknown>): InstanceSearch {
  return defined({ search: textOf(search.search) })
}
