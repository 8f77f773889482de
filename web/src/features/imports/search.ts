import { defined, textOf } from '../../app/search-params.ts'

/** The search parameters of the page: the shown import. */
export interface ImportSearch {
  job?: string
}

export function importSearch(search: Record<string, unknown>): ImportSearch {
  return defined({ job: textOf(search.job) })
}
