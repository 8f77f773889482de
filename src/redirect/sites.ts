import type { BlockList } from '../blocks/list.ts'
import type { Brand } from './brand.ts'
import { type LeadsTo, shownBy } from './pages.ts'

/** What a workspace says of the pages of its domain. */
export type Site = Record<LeadsTo, string | null> & { brand: Brand | null }

/** What the pages of domains depend on. */
export interface SiteDeps {
  /** Whether a domain is shared by all workspaces. */
  isShared: (domainNo: number) => boolean
  /** What is said of a domain; null: it is gone. */
  siteOf: (domainNo: number) => Promise<Site | null>
  blocks: Pick<BlockList, 'hasTarget'>
}

/** Gives an answer the form that the domain wants it in. */
export type InSite = (
  answer: Response,
  request: Request,
  domainNo: number,
) => Response | Promise<Response>

/**
 * Pages of workspaces' own domains look or lead as they wish. Redirects and what shared hosts answer
 * stay as they are: the database is asked for a page alone.
 */
export function createInSite({ isShared, siteOf, blocks }: SiteDeps): InSite {
  return (answer, request, domainNo) => {
    const page = isShared(domainNo) ? undefined : shownBy(answer)
    if (page === undefined) return answer
    // Without the database it is our own page.
    const found = siteOf(domainNo).catch(() => null)
    return found.then((site) => {
      const url = page.leadsTo === undefined ? null : (site?.[page.leadsTo] ?? null)
      if (url !== null && !blocks.hasTarget(url)) {
        return page.instead(request.method === 'POST' ? 303 : 302, new URL(url).href)
      }
      return site?.brand ? page.again(site.brand) : answer
    })
  }
}
