import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { syncDirectory } from '../../lib/base/replace-file.ts'
import { OperatorError } from '../../lib/errors/index.ts'
import type { BackupPlace, S3Config } from '../../platform/config/index.ts'
import { damaged, MANIFEST, noBackup } from './manifest.ts'
import { openS3 } from './s3.ts'
import type { BackupStore, StoredBackup } from './types.ts'

/** The suffix of unfinished backups. */
const PARTIAL = '.partial'

/** How places are accessed. */
interface Reach {
  /** The data directory, for files on their way to S3. */
  dataDir: string
  s3: S3Config | null
}

/** Opens a store of backups. @throws OperatorError without the keys for S3 */
export function openStore(place: BackupPlace, { dataDir, s3 }: Reach): BackupStore {
  if ('directory' in place) return inDirectory(place.directory)
  if (s3 !== null) return openS3(place, s3, join(dataDir, 'backing-up'))
  const message = 'Set BACKUP_S3_ACCESS_KEY_ID and BACKUP_S3_SECRET_ACCESS_KEY to reach s3://'
  throw new OperatorError('NO_S3_KEYS', message)
}

/** The store and the name of a backup. @throws OperatorError */
export function locate(place: BackupPlace, reach: Reach): { store: BackupStore; name: string } {
  const path = 'directory' in place ? place.directory : place.prefix
  const name = basename(path)
  if (name === '')
    throw new OperatorError(
      'INVALID_PLACE',
      'The backup needs a name below the bucket: s3://bucket/name',
      {
        status: 2,
      },
    )
  const parent = dirname(path)
  const above =
    'directory' in place
      ? { directory: parent }
      : { bucket: place.bucket, prefix: parent === '.' ? '' : parent }
  return { store: openStore(above, reach), name }
}

function inDirectory(directory: string): BackupStore {
  return {
    async list() {
      if (!existsSync(directory)) return []
      const entries = readdirSync(directory, { withFileTypes: true })
      return entries
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => ({
          name,
          isComplete: !name.endsWith(PARTIAL) && existsSync(join(directory, name, MANIFEST)),
        }))
    },
    async create(name, fill) {
      const target = join(directory, name)
      if (existsSync(target)) removeEmpty(target)
      const partial = `${target}${PARTIAL}`
      makePartial(partial)
      try {
        const manifest = await fill(partial)
        renameSync(partial, target)
        syncDirectory(directory)
        return manifest
      } catch (error) {
        rmSync(partial, { recursive: true, force: true })
        throw error
      }
    },
    async remove(name) {
      // Without its manifest it isn't a backup, even if this is interrupted.
      rmSync(join(directory, name, MANIFEST), { force: true })
      rmSync(join(directory, name), { recursive: true })
    },
    open: (name) => inFiles(join(directory, name)),
  }
}

function inFiles(directory: string): StoredBackup {
  return {
    where: directory,
    directory,
    async manifest() {
      try {
        return readFileSync(join(directory, MANIFEST), 'utf8')
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException
        if (code !== 'ENOENT' && code !== 'ENOTDIR') throw error
        throw noBackup(directory)
      }
    },
    async fetch(name, file) {
      try {
        copyFileSync(join(directory, name), file)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
        throw damaged(`${name} is missing from the backup`)
      }
    },
  }
}

/** @throws OperatorError when it isn't empty */
function removeEmpty(directory: string): void {
  try {
    rmdirSync(directory)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST' && code !== 'ENOTDIR') throw error
    throw new OperatorError('TARGET_NOT_EMPTY', `${directory} already exists: use a new directory`)
  }
}

function makePartial(partial: string): void {
  const parent = dirname(partial)
  try {
    mkdirSync(parent, { recursive: true, mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error
    throw new OperatorError('INVALID_PLACE', `${parent} is a file: use a directory`, { status: 2 })
  }
  try {
    mkdirSync(partial, { mode: 0o700 })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const message = `${partial} is left over from an interrupted backup: delete it first`
    throw new OperatorError('TARGET_NOT_EMPTY', message)
  }
}
