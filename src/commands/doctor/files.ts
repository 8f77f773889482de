import { accessSync, constants, readdirSync, type Stats, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { journalDirectory } from '../../clicks/index.ts'
import { existingSecret, secretFault, secretFile } from '../../config/index.ts'
import { DISK_FULL_BYTES, DISK_LOW_BYTES, freeBytesOf } from '../../operations/index.ts'
import { databaseFiles } from '../../storage/index.ts'
import { type Finding, ok, problem, warning } from './finding.ts'

/** A WAL or journal above this says that the click worker doesn't come round. */
const LARGE_BYTES = 512 * 1024 * 1024
/** So many of the files that can't be used are named. */
const FILES_NAMED = 3

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

/**
 * Whether this user may read and write what the server made: a command that was run as another
 * user may have left files behind that are that user's.
 */
export function checkFiles(dataDir: string, isUsable = isReadableAndWritable): Finding {
  const journal = journalDirectory(dataDir)
  const paths = [dataDir, journal].flatMap((directory) =>
    namesIn(directory).map((name) => join(directory, name)),
  )
  const closed = paths.filter((path) => !isUsable(path))
  if (closed.length === 0) return ok('files', `all ${paths.length} can be read and written`)
  return problem(
    'files',
    `this user may not read and write ${closed.slice(0, FILES_NAMED).join(', ')}` +
      (closed.length > FILES_NAMED ? ` and ${closed.length - FILES_NAMED} more` : ''),
    `chown -R ${process.getuid?.() ?? 'USER'} ${dataDir} && chmod -R u+rwX ${dataDir}`,
  )
}

/** Whether `path` is there, and a directory. */
export function isDirectory(path: string): boolean {
  return statOf(path)?.isDirectory() === true
}

/** Whether the secret is there and secret. */
export function checkSecret(dataDir: string, given: string | null): Finding {
  if (given !== null) {
    const kept = existingSecret(dataDir)
    if (kept === null || kept === given) return ok('secret', 'given by SLUGLINE_SECRET')
    return warning(
      'secret',
      `SLUGLINE_SECRET is not what ${secretFile(dataDir)} holds: keys that were made with that one are invalid`,
      'leave the variable out; or delete the file, if nothing was made with it',
    )
  }
  const fault = secretFault(dataDir)
  if (fault !== null) return problem('secret', `${fault.variable} ${fault.problem}`, fault.example)
  const file = secretFile(dataDir)
  const stats = statOf(file)
  if (stats === null) return ok('secret', 'will be made at the first start')
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
  return namesIn(directory).reduce((sum, name) => sum + sizeOf(join(directory, name)), 0)
}

/** Empty also for what isn't there or can't be read. */
function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
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
  return isAccessible(path, constants.W_OK)
}

function isReadableAndWritable(path: string): boolean {
  return isAccessible(path, constants.R_OK | constants.W_OK)
}

/** True as well for what has gone in the meantime. */
function isAccessible(path: string, mode: number): boolean {
  try {
    accessSync(path, mode)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

function octal({ mode }: Stats): string {
  return (mode & 0o777).toString(8).padStart(3, '0')
}

function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString('en', { maximumFractionDigits: 1 })} MB`
}
