import { defined, textOf } from '../../app/search-params.ts'

/** What the address of the page has: the import that is looked at. */
export interface ImportSearch {
  job?: string
}

export function importSearch(search: Record<string, unknown>): ImportSearch {
  return defined({ job: textOf(search.job) })
}
