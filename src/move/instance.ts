import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { agreeOnSecret } from '../backend/shared-secret.ts'
import { systemClock } from '../base/clock.ts'
import { systemRandom } from '../base/random.ts'
import { openSharedVisitors } from '../clicks/index.ts'
import { deriveSecrets } from '../config/index.ts'
import { openPostgres } from '../storage/index.ts'
import type { Source } from './source.ts'
import type { Target } from './target.ts'

/** What belongs to the whole instance, and isn't in a table of the source's form. */
export interface InstanceFacts {
  url: string
  dataDir: string
  /** A directory for copies. */
  scratch: string
  /** The environment's secret; null: the data directory's. */
  given: string | null
}

/**
 * The secret, the days' salts, and the last number that a workspace was given. Salts that were
 * moved before are replaced: the source may have made others since.
 */
export async function moveInstanceFacts(
  { main }: Source,
  target: Target,
  { url, dataDir, scratch, given }: InstanceFacts,
): Promise<void> {
  const last = main.raw
    .query<{ seq: number }, []>("SELECT seq FROM sqlite_sequence WHERE name = 'workspaces'")
    .get()
  await target.all(
    "UPDATE numbers SET value = greatest(value, $1::bigint) WHERE name = 'workspaces'",
    [last?.seq ?? 0],
  )
  const storage = await openPostgres({ url, poolSize: 2 })
  try {
    const secret = await agreeOnSecret({ storage, dataDir, given, isNode: false })
    const file = join(scratch, 'salts')
    const salts = join(dataDir, 'salts')
    if (existsSync(salts)) copyFileSync(salts, file)
    await target.all('DELETE FROM visitor_salts')
    const visitors = await openSharedVisitors({
      storage,
      key: deriveSecrets(secret).visitors,
      file,
      clock: systemClock,
      random: systemRandom,
    })
    // The first agreement may have failed silently.
    await visitors.refresh().finally(visitors.close)
  } finally {
    await storage.close()
  }
}
