import { createUpkeep, type UpkeepOptions } from '../shared/upkeep.ts'
import type { Maintenance } from '../store/maintenance.ts'
import { deleteLinks, purgeRetained } from './retention.ts'

/** Keeps the clicks in PostgreSQL in order; see {@link createUpkeep}. */
export function createPostgresUpkeep(
  options: Pick<UpkeepOptions, 'storage' | 'clock' | 'takeOn'>,
): Maintenance {
  const { storage } = options
  return createUpkeep({
    ...options,
    deleteLinks: (seqs) => deleteLinks(storage, seqs),
    purgeRetained: (kept, now) => purgeRetained(storage, kept, now),
  })
}
