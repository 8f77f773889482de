import { SQLiteError } from 'bun:sqlite'
import { AppError, OperatorError } from '../lib/errors/index.ts'
import { ConfigError } from '../platform/config/index.ts'
import { StorageUnavailable } from '../platform/storage/storage.ts'
import { stateOf } from '../statistics/process/store-state.ts'
import { commandErrorOf } from './client/request-error.ts'
import { CommandError } from './context.ts'

/** The message of a failed command, and its exit status: 1 failed, 2 usage error. */
export interface Failure {
  status: 1 | 2
  code: string
  message: string
  /** Fields or variables with their faults; fields also with the API's code. */
  details?: CommandError['details']
}

/** Result codes of SQLite about the disk or the files, not about a bug. */
const OF_THE_MACHINE =
  /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED|CORRUPT|NOTADB|PERM|NOMEM|AUTH)/

/** Describes an error for the person or program that called the command. */
export async function failureOf(thrown: unknown): Promise<Failure> {
  const error = commandErrorOf(thrown)
  if (!(error instanceof Error)) return unexpected(String(error))
  const { message, stack = message } = error
  if (error instanceof CommandError) {
    const { status, code, details } = error
    return { status, code, message, ...(details && { details }) }
  }
  if (error instanceof ConfigError) {
    const details = error.faults.map(({ variable, problem, example }) => ({
      field: variable,
      message: `${problem}. Example: ${example}`,
    }))
    const settings = 'These settings are wrong; nothing was done.'
    return { status: 2, code: 'CONFIGURATION', message: settings, details }
  }
  if (error instanceof OperatorError) return { status: error.status, code: error.code, message }
  if (error instanceof AppError && message !== error.code) {
    return { status: 1, code: error.code, message }
  }
  if (error instanceof AppError) return await failureOfAppError(error)
  const reason = storageFault(error)
  return reason === null ? unexpected(stack) : failureOfStorage(reason)
}

function unexpected(text: string): Failure {
  return { status: 1, code: 'UNEXPECTED', message: `Unexpected error: ${text}` }
}

/** Why the storage is unusable; null: another error. */
function storageFault(error: Error): string | null {
  const { code = '', path, message } = error as NodeJS.ErrnoException
  if (error instanceof StorageUnavailable) return message
  if (error instanceof SQLiteError) return OF_THE_MACHINE.test(code) ? code : null
  // A failed write doesn't name its file; DuckDB's has no code.
  if (/^(EDQUOT|EIO)$/.test(code) || stateOf(error) === 'full') return message
  const isFile = path !== undefined && /^(EACCES|EPERM|EROFS|EMFILE)$/.test(code)
  return isFile ? message : null
}

/** `reason` as SQLite or the operating system names it (https://www.sqlite.org/rescode.html). */
function failureOfStorage(reason: string): Failure {
  if (/^SQLITE_(CORRUPT|NOTADB)/.test(reason)) {
    const message =
      `A database in the data directory is damaged (${reason}). Stop the server, keep a copy of ` +
      'the directory, and run slugline doctor, which names the file: slugline serve makes counters.db anew, ' +
      'for any other restore a backup.'
    return { status: 1, code: 'DATA_DAMAGED', message }
  }
  const message = reason.includes('PostgreSQL')
    ? `The database can't be used: ${reason}. Does it run, and does DATABASE_URL fit?`
    : `The data can't be read or written (${reason}). ` +
      'Is the disk full, or does the data directory belong to another user?'
  return { status: 1, code: 'STORAGE_UNAVAILABLE', message }
}

async function failureOfAppError({ code, params, details }: AppError): Promise<Failure> {
  const { translate } = await import('../lib/i18n/index.ts')
  const message = translate('en', `error.${code}`, params)
  const status = code === 'VALIDATION_FAILED' ? 2 : 1
  if (details === undefined) return { status, code, message }
  const shown = details.map(({ field, code, params = {} }) => {
    return { field, code, message: translate('en', `detail.${code}`, params) }
  })
  return { status, code, message, details: shown }
}

/** The failure as printed on stderr: lines for people, a JSON object for programs. */
export function renderFailure({ code, message, details }: Failure, json: boolean): string {
  if (json) return `${JSON.stringify({ error: { code, message, ...(details && { details }) } })}\n`
  const between = code === 'CONFIGURATION' ? ' ' : ': '
  const lines = (details ?? []).map(({ field, message }) => `  ${field}${between}${message}\n`)
  return `slugline: ${message}\n${lines.join('')}`
}

/** The same as the last line of a server's log in JSON. */
export function renderLogged(failure: Failure): string {
  const { code, message, details } = failure
  const time = new Date().toISOString()
  return `${JSON.stringify({ level: 'fatal', time, code, ...(details && { details }), message })}\n`
}
