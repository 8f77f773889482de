import type { ComponentProps } from 'react'
import { parseSearch, stringifySearch } from '../../app/search-params.ts'
import { type AuthSearch, authSearch } from './search.ts'

/** The search parameters of the page's URL. */
export function searchOfPage(): AuthSearch {
  return authSearch(parseSearch(location.search))
}

/** The path of a page below `/app`. */
export function addressOf(to: string, search: AuthSearch = {}): string {
  return `/app${to}${stringifySearch({ ...search })}`
}

/** Links to another page, with a full page load. */
export function PageLink({
  to,
  search,
  ...props
}: Omit<ComponentProps<'a'>, 'href'> & { to: string; search?: AuthSearch }) {
  return <a {...props} href={addressOf(to, search)} />
}

/** The search parameters with which another page continues where this one would. */
export function onward(): AuthSearch {
  const { next } = searchOfPage()
  return next === undefined ? {} : { next }
}
