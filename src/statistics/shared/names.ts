import type { Storage } from '../../storage/index.ts'
import type { LinkFacts } from '../reports/names.ts'
import { findLinkNames, findTagged } from '../store.ts'

/** Links asked for at once. */
const AT_ONCE = 5_000

/** What is known of links and domains, from PostgreSQL. */
export function createSharedFacts({ reports }: Pick<Storage, 'reports'>): LinkFacts {
  return {
    async links(seqs) {
      const ids = new Map<number, string>()
      for (let at = 0; at < seqs.length; at += AT_ONCE) {
        const names = await findLinkNames(reports, seqs.slice(at, at + AT_ONCE))
        for (const { seq, id } of names.values()) ids.set(seq, id)
      }
      return ids
    },
    tagged: (workspaceNo, tags) => findTagged(reports, workspaceNo, tags),
    async domains() {
      const rows = await reports.db.selectFrom('domains').select(['no', 'host']).execute()
      return new Map(rows.map(({ no, host }) => [no, host]))
    },
  }
}
