import type { ComponentProps } from 'react'
import { parseSearch, stringifySearch } from '../../app/search-params.ts'
import { type AuthSearch, authSearch } from './search.ts'

/** What this page's address has behind the `?`. */
export function searchOfPage(): AuthSearch {
  return authSearch(parseSearch(location.search))
}

/** The address of a page below `/app`. */
export function addressOf(to: string, search: AuthSearch = {}): string {
  return `/app${to}${stringifySearch({ ...search })}`
}

/** Leads to another page: each is loaded by itself here. */
export function PageLink({
  to,
  search,
  ...props
}: Omit<ComponentProps<'a'>, 'href'> & { to: string; search?: AuthSearch }) {
  return <a {...props} href={addressOf(to, search)} />
}
