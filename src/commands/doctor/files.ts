import { accessSync, constants, readdirSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { journalDirectory } from '../../clicks/index.ts'
import { secretFile } from '../../config/index.ts'
import { DISK_FULL_BYTES, DISK_LOW_BYTES, freeBytesOf } from '../../operations/index.ts'
import { databaseFiles } from '../../storage/index.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** A WAL or journal above this says that the click worker doesn't come round. */
const LARGE_BYTES = 512 * 1024 * 1024

/** Whether the data directory is there, and whose it is. */
export function checkDataDir(dataDir: string): Finding {
  const stats = statOf(dataDir)
  if (stats === null) {
    return isWritable(nearestExisting(dataDir))
      ? warning('data_dir', `${dataDir} doesn't exist`, 'the first start makes it: slugline serve')
      : problem('data_dir', `${dataDir} doesn't exist and can't be made`, `make it for this user`)
  }
  if (!stats.isDirectory()) {
    return problem('data_dir', `${dataDir} isn't a directory`, 'set SLUGLINE_DATA_DIR to another')
  }
  if (!isWritable(dataDir)) {
    return problem('data_dir', `${dataDir} can't be written`, `chown it to this user`)
  }
  if ((stats.mode & 0o077) === 0) return ok('data_dir', `${dataDir} is this user's alone`)
  const found = `${dataDir} is open to other users (mode ${octal(stats)})`
  const advice = `chmod 700 ${dataDir}`
  return stats.mode & 0o022
    ? problem('data_dir', found, advice)
    : warning('data_dir', found, advice)
}

/** Whether `path` is there, and a directory. */
export function isDirectory(path: string): boolean {
  return statOf(path)?.isDirectory() === true
}

/** Whether the secret is there and secret. */
export function checkSecret(dataDir: string, given: boolean): Finding {
  if (given) return ok('secret', 'given by SLUGLINE_SECRET')
  const file = secretFile(dataDir)
  const stats = statOf(file)
  if (stats === null) {
    return statOf(databaseFiles(dataDir).main) === null
      ? ok('secret', 'will be made at the first start')
      : warning('secret', `${file} is gone`, 'restore it, or set SLUGLINE_SECRET to what it was')
  }
  if (stats.mode & 0o077) {
    return problem(
      'secret',
      `${file} is open to others (mode ${octal(stats)})`,
      `chmod 600 ${file}`,
    )
  }
  return ok('secret', `${file} is this user's alone`)
}

/** Whether there is room for more. */
export function checkDisk(dataDir: string): Finding {
  const free = freeBytesOf(dataDir)
  const found = `${megabytes(free)} free where ${dataDir} lies`
  if (free < DISK_FULL_BYTES) return problem('disk', found, 'make room: nothing can be written')
  if (free < DISK_LOW_BYTES) return warning('disk', found, 'make room')
  return ok('disk', found)
}

/** Whether what waits to be worked off stays small. */
export function checkBacklog(dataDir: string): Finding[] {
  const { main, counters } = databaseFiles(dataDir)
  const wal = sizeOf(`${main}-wal`) + sizeOf(`${counters}-wal`)
  const journal = directorySize(journalDirectory(dataDir))
  const advice = 'look for the click worker in the log; a restart of the server starts it anew'
  return [
    wal > LARGE_BYTES
      ? warning('wal', `${megabytes(wal)} wait to be moved into the databases`, advice)
      : ok('wal', `${megabytes(wal)} wait to be moved into the databases`),
    journal > LARGE_BYTES
      ? warning('journal', `${megabytes(journal)} of clicks are kept`, advice)
      : ok('journal', `${megabytes(journal)} of clicks are kept`),
  ]
}

function nearestExisting(path: string): string {
  return statOf(path) !== null || path === dirname(path) ? path : nearestExisting(dirname(path))
}

function directorySize(directory: string): number {
  if (statOf(directory) === null) return 0
  return readdirSync(directory).reduce((sum, name) => sum + sizeOf(join(directory, name)), 0)
}

function sizeOf(file: string): number {
  return statOf(file)?.size ?? 0
}

function statOf(path: string): Stats | null {
  try {
    return statSync(path)
  } catch {
    return null
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

function octal({ mode }: Stats): string {
  return (mode & 0o777).toString(8).padStart(3, '0')
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })} MB`
}
