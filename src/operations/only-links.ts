import { DEFAULT_DOMAIN, type Domains } from '../domains/index.ts'

const OWN = /^\/(?:api|app|docs|shared|openapi\.json)(?:\/|$)/

/** Whether a path is the application's; whatever else comes may be a short link. */
export const isOwn = (path: string): boolean => OWN.test(path)

/** What is answered beside the application. */
const WATCHED = new Set(['/livez', '/readyz', '/metrics'])

/** A slug like most. No path that another part answers besides those of the application looks so. */
const ONE_WORD = /^\/[a-z0-9_-]+$/

/**
 * Makes the test of whether a path is a link's without a doubt. One that the instance answers itself is
 * so on a short domain: reserved slugs are refused on the instance's own host alone. An unknown host
 * stands for that one. A plain word is no other part's path, which saves asking each of them.
 */
export function onlyLinks(domains: Pick<Domains, 'noOf'>) {
  return (path: string, url: string): boolean =>
    isOwn(path) || WATCHED.has(path)
      ? (domains.noOf(hostOf(url)) ?? DEFAULT_DOMAIN) !== DEFAULT_DOMAIN
      : ONE_WORD.test(path)
}

/** With its port, if it has one; empty where the request named none. */
function hostOf(url: string): string {
  return url.startsWith('/') ? '' : (url.split('/', 3)[2] as string)
}

/** The path of a URL, without the query; cheap, for every visit passes here. */
export function pathOf(url: string): string {
  const start = url.indexOf('/', url.startsWith('/') ? 0 : url.indexOf('//') + 2)
  if (start < 0) return '/'
  const end = url.indexOf('?', start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}
