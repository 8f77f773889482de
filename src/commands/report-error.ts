import { SQLiteError } from 'bun:sqlite'
import { ConfigError } from '../config/fault.ts'
import { AppError } from '../errors/index.ts'
import { DataDirLocked } from '../operations/lock.ts'
import { StorageUnavailable } from '../storage/storage.ts'
import { CommandError } from './context.ts'

/** What a failed command says, and its exit status: 1 it failed, 2 it was called wrongly. */
export interface Failure {
  status: 1 | 2
  code: string
  message: string
  /** Fields or variables, each with what is wrong with it; fields also by the API's code. */
  details?: { field: string; code?: string; message: string }[]
}

/** Result codes of SQLite that speak of the disk or the files, not of a mistake of ours. */
const OF_THE_MACHINE =
  /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED|CORRUPT|NOTADB|PERM|NOMEM|AUTH)/

/** How an error is told to the person or the program that called the command. */
export async function failureOf(error: unknown): Promise<Failure> {
  if (error instanceof ConfigError) {
    const details = error.faults.map(({ variable, problem, example }) => ({
      field: variable,
      message: `${problem}. Example: ${example}`,
    }))
    const message = 'These settings are wrong; nothing was done.'
    return { status: 2, code: 'CONFIGURATION', message, details }
  }
  if (error instanceof CommandError) {
    return { status: error.status, code: error.code, message: error.message }
  }
  if (error instanceof DataDirLocked) {
    return { status: 1, code: 'DATA_DIR_LOCKED', message: error.message }
  }
  if (error instanceof StorageUnavailable) return failureOfStorage(error.message)
  if (error instanceof SQLiteError && OF_THE_MACHINE.test(error.code ?? '')) {
    return failureOfStorage(error.code as string)
  }
  if (isFileError(error)) return failureOfStorage(error.message)
  if (error instanceof AppError) return await failureOfAppError(error)
  // By its name: loading its module would cost every command.
  if (error instanceof Error && error.name === 'UnfitDatabase') {
    return { status: 2, code: 'CONFIGURATION', message: error.message }
  }
  if (error instanceof Error && error.name === 'DomainConflict') {
    return { status: 2, code: 'CONFIGURATION', message: `BASE_URL can't be this: ${error.message}` }
  }
  if (error instanceof Error && error.name === 'NotANode') {
    return { status: 1, code: 'NOT_A_NODE', message: error.message }
  }
  if (error instanceof Error && error.name === 'MainDatabaseLost') {
    const message =
      `${error.message} is gone, while other files of the instance are there. Restore a backup ` +
      'of the whole data directory; or, to begin anew, use an empty one.'
    return { status: 1, code: 'DATA_DAMAGED', message }
  }
  if (error instanceof Error && error.name === 'MoveUnfinished') {
    const message =
      'A move into this database has not come to its end. Run the same slugline move again, on ' +
      'the machine of the instance that is moved, until it says that everything is there.'
    return { status: 1, code: 'MOVE_UNFINISHED', message }
  }
  if (error instanceof Error && error.name === 'OldFormat') {
    const message =
      'The data was made by a version of Slugline from before its first release, whose format is ' +
      'not read. Use an empty data directory or database.'
    return { status: 1, code: 'DATA_OLD', message }
  }
  const newer = newerMigration(error)
  if (newer !== null) {
    const message =
      `The data was made by a newer version of Slugline (${newer}). Start that version, or ` +
      'restore the backup from before the upgrade.'
    return { status: 1, code: 'DATA_NEWER', message }
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { status: 1, code: 'UNEXPECTED', message: `Unexpected error: ${text}` }
}

/** Whether the operating system refused a file: no bug of ours, and no stack helps. */
function isFileError(error: unknown): error is Error {
  const { code, path } = error as NodeJS.ErrnoException
  return (
    error instanceof Error &&
    path !== undefined &&
    /^(EACCES|EPERM|EROFS|ENOSPC|EDQUOT|EIO|EMFILE)$/.test(code ?? '')
  )
}

/** The migration that was applied and that this version doesn't know, as the migrator tells it. */
function newerMigration(error: unknown): string | null {
  const text = error instanceof Error ? error.message : ''
  if (error instanceof Error && error.name === 'NewerDatabase') {
    return (error as Error & { migration: string }).migration
  }
  return (
    /^corrupted migrations: previously executed migration (\S+) is missing/.exec(text)?.[1] ?? null
  )
}

/** `reason` as SQLite or the operating system names it (https://www.sqlite.org/rescode.html). */
function failureOfStorage(reason: string): Failure {
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(reason)) {
    const message =
      `A database in the data directory is damaged (${reason}). Stop the server, keep a copy of ` +
      'the directory, and run slugline doctor, which names the file: counters.db can be made anew, ' +
      'for any other restore a backup.'
    return { status: 1, code: 'DATA_DAMAGED', message }
  }
  if (reason.includes('PostgreSQL')) {
    const message = `The database can't be used: ${reason}. Does it run, and does DATABASE_URL fit?`
    return { status: 1, code: 'STORAGE_UNAVAILABLE', message }
  }
  const message =
    `The data can't be read or written (${reason}). ` +
    'Is the disk full, or does the data directory belong to another user?'
  return { status: 1, code: 'STORAGE_UNAVAILABLE', message }
}

async function failureOfAppError(error: AppError): Promise<Failure> {
  const { translate } = await import('../i18n/index.ts')
  const details = error.details?.map(({ field, code, params }) => ({
    field,
    code,
    message: translate('en', `detail.${code}`, params ?? {}),
  }))
  return {
    status: error.code === 'VALIDATION_FAILED' ? 2 : 1,
    code: error.code,
    message: translate('en', `error.${error.code}`, error.params),
    ...(details === undefined ? {} : { details }),
  }
}

/** The failure as it goes to stderr: lines for people, one JSON object for machines. */
export function renderFailure({ code, message, details }: Failure, json: boolean): string {
  if (json) return `${JSON.stringify({ error: { code, message, ...(details && { details }) } })}\n`
  const between = code === 'CONFIGURATION' ? ' ' : ': '
  const lines = (details ?? []).map(({ field, message }) => `  ${field}${between}${message}\n`)
  return `slugline: ${message}\n${lines.join('')}`
}
