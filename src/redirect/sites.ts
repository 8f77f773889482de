import type { BlockList } from '../blocks/list.ts'
import type { Brand } from './brand.ts'
import type { Redirect } from './handler.ts'
import { type LeadsTo, shownBy } from './pages.ts'

/** What a workspace says of the pages of its domain. */
export type Site = Record<LeadsTo, string | null> & { brand: Brand | null }

/** What the pages of domains depend on. */
export interface SiteDeps {
  /** The number of a workspace's own domain; undefined: the host is shared, or unknown. */
  ownedAt: (host: string) => number | undefined
  /** What is said of a domain; null: it is gone. */
  siteOf: (domainNo: number) => Promise<Site | null>
  blocks: Pick<BlockList, 'hasTarget'>
}

/**
 * Answers as the redirect does, but that pages of workspaces' own domains look or lead as they wish.
 * Redirects and shared hosts pass as they are: the database is asked for a page alone.
 */
export function withSites(redirect: Redirect, { ownedAt, siteOf, blocks }: SiteDeps): Redirect {
  async function dressed(request: Request, no: number, answer: Response | Promise<Response>) {
    const response = await answer
    const page = shownBy(response)
    if (page === undefined) return response
    // Without the database it is our own page.
    const site = await siteOf(no).catch(() => null)
    const url = page.leadsTo === undefined ? null : (site?.[page.leadsTo] ?? null)
    if (url !== null && !blocks.hasTarget(url)) {
      return page.instead(request.method === 'POST' ? 303 : 302, new URL(url).href)
    }
    return site?.brand ? page.again(site.brand) : response
  }

  return {
    counts: redirect.counts,
    fetch(request, peer) {
      const answer = redirect.fetch(request, peer)
      const no = ownedAt(hostOf(request.url))
      return no === undefined ? answer : dressed(request, no, answer)
    },
  }
}

/** With its port, if it has one; empty where the request named none. */
function hostOf(url: string): string {
  if (url.startsWith('/')) return ''
  const start = url.indexOf('//') + 2
  return url.slice(start, url.indexOf('/', start))
}
