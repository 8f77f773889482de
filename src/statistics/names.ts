import type { Domains } from '../domains/index.ts'
import type { Storage } from '../storage/index.ts'
import { findLinkNames, type LinkName } from './store.ts'

/** So many names are looked up on the serving thread; more of them off it. */
const AT_ONCE = 100

/** What links are called. */
export interface LinkNames {
  of(seqs: readonly number[]): Promise<Map<number, LinkName>>
  /** The address of a link. */
  shortUrl(name: LinkName): string
}

/** Looks names up when they are asked for: they change. */
export function createLinkNames(
  storage: Pick<Storage, 'read' | 'reports'>,
  domains: Domains,
): LinkNames {
  return {
    async of(seqs) {
      if (seqs.length === 0) return new Map()
      return findLinkNames(seqs.length > AT_ONCE ? storage.reports : storage.read, seqs)
    },
    shortUrl: ({ domainNo, slug }) => domains.shortUrl(domainNo, slug),
  }
}
