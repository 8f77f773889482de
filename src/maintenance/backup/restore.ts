import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { OperatorError } from '../../lib/errors/index.ts'
import { ensureDataDir, restoringDirectory } from '../../platform/config/index.ts'
import { databaseFiles, migrationStates, renewFeed } from '../../platform/storage/index.ts'
import { syncTree } from './files.ts'
import type { StoredBackup } from './types.ts'
import { fetchBackup, type Verified, verifyFiles } from './verify.ts'

/** Exists in a new file system. */
const IGNORED = new Set(['lost+found'])

/**
 * Makes a data directory from a backup, whose copy is verified first. If interrupted, it leaves a
 * directory that no server starts on.
 * @throws OperatorError when the backup can't be used, or the data directory is not empty
 */
export async function restoreBackup(backup: StoredBackup, dataDir: string): Promise<Verified> {
  assertEmpty(dataDir)
  const isNew = !existsSync(dataDir)
  const scratch = restoringDirectory(dataDir)
  ensureDataDir(dataDir)
  mkdirSync(scratch, { mode: 0o700 })
  let verified: Verified
  try {
    verified = await verifyFiles(scratch, await fetchBackup(backup, scratch))
    await assertKnown(scratch)
    renewFeed(databaseFiles(scratch).main)
    syncTree(scratch)
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true })
    if (isNew) rmdirSync(dataDir)
    throw error
  }
  for (const name of readdirSync(scratch)) renameSync(join(scratch, name), join(dataDir, name))
  rmdirSync(scratch)
  syncTree(dataDir)
  return verified
}

/** @throws OperatorError */
function assertEmpty(dataDir: string): void {
  const names = existsSync(dataDir) ? readdirSync(dataDir) : []
  const other = names.find((name) => !IGNORED.has(name))
  if (other === undefined) return
  const message = `${dataDir} is not empty (it has ${other}): a backup is restored into an empty directory`
  throw new OperatorError('TARGET_NOT_EMPTY', message)
}

/** @throws OperatorError if a newer version made the tables */
async function assertKnown(dataDir: string): Promise<void> {
  if (!existsSync(databaseFiles(dataDir).main)) return
  const newer = (await migrationStates(dataDir)).find((state) => state.newer)
  if (newer === undefined) return
  const message = `The backup was made by a newer version of Slugline (${newer.name}): restore it with that one`
  throw new OperatorError('BACKUP_NEWER', message)
}
