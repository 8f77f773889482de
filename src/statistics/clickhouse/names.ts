import type { Storage } from '../../storage/index.ts'
import type { ExportNames } from '../reports/names.ts'
import { findLinkNames } from '../store.ts'

/** Links asked for at once. */
const AT_ONCE = 5_000

/** What links and domains are called, for exports. */
export function createSharedNames({ reports }: Pick<Storage, 'reports'>): ExportNames {
  return {
    async links(seqs) {
      const ids = new Map<number, string>()
      for (let at = 0; at < seqs.length; at += AT_ONCE) {
        const names = await findLinkNames(reports, seqs.slice(at, at + AT_ONCE))
        for (const { seq, id } of names.values()) ids.set(seq, id)
      }
      return ids
    },
    async domains() {
      const rows = await reports.db.selectFrom('domains').select(['no', 'host']).execute()
      return new Map(rows.map(({ no, host }) => [no, host]))
    },
  }
}
