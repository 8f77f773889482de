import type { Storage } from '../../storage/index.ts'
import type { LinkFacts } from '../reports/names.ts'
import { findLinkIds, findTagged } from '../store.ts'

/** What is known of links and domains, from PostgreSQL. */
export function createSharedFacts({ reports }: Pick<Storage, 'reports'>): LinkFacts {
  return {
    links: (seqs) => findLinkIds(reports, seqs),
    tagged: (workspaceNo, tags) => findTagged(reports, workspaceNo, tags),
    async domains() {
      const rows = await reports.db.selectFrom('domains').select(['no', 'host']).execute()
      return new Map(rows.map(({ no, host }) => [no, host]))
    },
  }
}
