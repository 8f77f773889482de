import type { Clock } from '../base/clock.ts'
import { lowestIdAt } from '../base/ids.ts'
import type { Storage } from '../storage/index.ts'
import { deleteAll, deleteImport, endedImports, forgottenUpload, nextImport } from './store.ts'

/** An upload without a job for so long is abandoned. */
const FORGOTTEN_MS = 24 * 3_600_000

/** Deletes the data of imports that have ended or never began. */
export async function purgeImports({
  storage,
  clock,
}: {
  storage: Storage
  clock: Clock
}): Promise<void> {
  for (const { job_id, upload } of await endedImports(storage.read)) {
    if (upload !== null) await deleteAll(storage, 'import_chunks', upload)
    await storage.write((tx) => deleteImport(tx, job_id), { survives: 'process' })
  }
  const below = lowestIdAt('upl', clock.now() - FORGOTTEN_MS)
  for (;;) {
    const upload = await forgottenUpload(storage.read, below)
    if (upload === undefined) break
    await deleteAll(storage, 'import_chunks', upload)
  }
  await dropOrphans(storage)
}

/** Deletes the rows of imports whose jobs no longer exist. */
async function dropOrphans(storage: Pick<Storage, 'read' | 'write'>): Promise<void> {
  for (let after = ''; ; ) {
    const next = await nextImport(storage.read, after)
    if (next === undefined) return
    after = next.job_id
    if (next.isOrphan) await deleteAll(storage, 'import_rows', after)
  }
}
