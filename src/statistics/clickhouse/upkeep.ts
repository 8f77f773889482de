import { SEQS_PER_WORKSPACE } from '../../storage/index.ts'
import { createUpkeep, type UpkeepOptions } from '../shared/upkeep.ts'
import type { Maintenance } from '../store/maintenance.ts'
import type { ClickHouse } from './client.ts'
import { purgeRetained } from './retention.ts'

/** Keeps the clicks in ClickHouse in order; see {@link createUpkeep}. */
export function createClickHouseUpkeep({
  clickHouse,
  ...options
}: Pick<UpkeepOptions, 'storage' | 'clock' | 'takeOn'> & { clickHouse: ClickHouse }): Maintenance {
  return createUpkeep({
    ...options,
    async deleteLinks(seqs) {
      const links = seqs
        .map((seq) => `(${Math.floor(seq / SEQS_PER_WORKSPACE)}, ${seq % SEQS_PER_WORKSPACE})`)
        .join(', ')
      for (const table of ['clicks', 'daily']) {
        await clickHouse.command(`DELETE FROM ${table} WHERE (workspace, link) IN (${links})`, {
          lightweight_deletes_sync: '2',
        })
      }
      return false
    },
    purgeRetained: (kept, now) => purgeRetained(clickHouse, kept, now),
  })
}
