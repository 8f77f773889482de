import { journalDirectory } from '../../../clicks/segments.ts'
import { readInstance } from '../../../platform/storage/index.ts'
import { linkFactsIn } from '../../store.ts'
import { createNodeStore, type NodeStoreOptions } from '../shared/node.ts'
import type { Store } from '../types.ts'
import type { ClickHouse } from './client.ts'
import { deleteLinks, forgetClicks, purgeExpired, summingIn } from './maintenance.ts'
import { type ClickHouseMigrating, migrateClickHouse } from './migrate.ts'
import { ownClicks } from './owner.ts'
import { createClickHouseReports } from './reports.ts'
import { openClickHouseShipping } from './shipping.ts'

/** The clicks in ClickHouse, as the statistics process uses them. It closes nothing it is given. */
export async function openClickHouseStore(
  options: NodeStoreOptions & { clickHouse: ClickHouse; migration?: ClickHouseMigrating },
): Promise<Store> {
  const { dataDir, node, clickHouse, storage, enrich, counted } = options
  await migrateClickHouse(clickHouse, options.migration)
  const instance = await readInstance(storage.read)
  if (instance !== null) await ownClicks(clickHouse, instance)
  const directory = journalDirectory(dataDir)
  return createNodeStore(options, {
    reports: createClickHouseReports(
      clickHouse,
      linkFactsIn(() => storage.reports),
    ),
    forget: (link, before) => forgetClicks(clickHouse, link, before),
    deleteLinks: (seqs) => deleteLinks(clickHouse, seqs),
    purgeExpired: (retention, now) => purgeExpired(clickHouse, retention, now),
    sumDays: summingIn(clickHouse),
    shipping: await openClickHouseShipping({
      clickHouse,
      dataDir,
      directory,
      node,
      enrich,
      counted,
    }),
  })
}
