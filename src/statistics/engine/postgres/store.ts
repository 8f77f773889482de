import { journalDirectory } from '../../../clicks/segments.ts'
import { linkFactsIn } from '../../store.ts'
import { createNodeStore, type NodeStoreOptions } from '../shared/node.ts'
import type { Store } from '../types.ts'
import { deleteLinks, forgetClicks, purgeExpired, summingIn } from './maintenance.ts'
import { createPostgresReports } from './reports.ts'
import { openPostgresShipping } from './shipping.ts'

/** The clicks in PostgreSQL, as the statistics process uses them. It closes nothing it is given. */
export async function openPostgresStore(options: NodeStoreOptions): Promise<Store> {
  const { dataDir, node, storage, enrich, counted } = options
  const directory = journalDirectory(dataDir)
  return createNodeStore(options, {
    reports: createPostgresReports(
      storage,
      linkFactsIn(() => storage.reports),
    ),
    forget: (link, before) => forgetClicks(storage, link, before),
    deleteLinks: (seqs) => deleteLinks(storage, seqs),
    purgeExpired: (retention, now) => purgeExpired(storage, retention, now),
    sumDays: summingIn(storage),
    shipping: await openPostgresShipping({ storage, directory, nodeNo: node.no, enrich, counted }),
  })
}
