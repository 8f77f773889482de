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
  /** Fields or variables, each with what is wrong with it. */
  details?: { field: string; message: string }[]
}

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
  if (error instanceof StorageUnavailable) {
    const message =
      `The data can't be read or written (${error.message}). ` +
      'Is the disk full, or does the data directory belong to another user?'
    return { status: 1, code: 'STORAGE_UNAVAILABLE', message }
  }
  if (error instanceof AppError) return await failureOfAppError(error)
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { status: 1, code: 'UNEXPECTED', message: `Unexpected error: ${text}` }
}

async function failureOfAppError(error: AppError): Promise<Failure> {
  const { translate } = await import('../i18n/index.ts')
  const details = error.details?.map(({ field, code, params }) => ({
    field,
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
  const lines = (details ?? []).map((detail) => `  ${detail.field} ${detail.message}\n`)
  return `slugline: ${message}\n${lines.join('')}`
}
