import type { BlockList } from '../model/blocks/list.ts'
import type { Brand } from './brand.ts'
import { type DomainUrl, renderedPageOf } from './pages.ts'

/** A workspace's settings for the pages of its domain. */
export type Site = Record<DomainUrl, string | null> & { brand: Brand | null }

/** Dependencies of the pages of domains. */
interface SiteDeps {
  /** Whether a domain is shared by all workspaces. */
  isShared: (domainNo: number) => boolean
  /** The settings of a domain; null: it was deleted. */
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
 * Wraps a redirect: pages of workspaces' own domains are branded or redirected as configured.
 * Redirects and shared hosts are unchanged; the database is only queried for pages.
 */
export function createInSite({ isShared, siteOf, blocks }: SiteDeps): InSite {
  return (answer, request, domainNo) => {
    const page = isShared(domainNo) ? undefined : renderedPageOf(answer)
    if (page === undefined) return answer
    // Without the database it is Slugline's own page.
    const found = siteOf(domainNo).catch(() => null)
    return found.then((site) => {
      const url = page.domainUrl === undefined ? null : (site?.[page.domainUrl] ?? null)
      if (url !== null && !blocks.hasTarget(url)) {
        return page.instead(request.method === 'POST' ? 303 : 302, new URL(url).href)
      }
      return site?.brand ? page.inBrand(site.brand) : answer
    })
  }
}
