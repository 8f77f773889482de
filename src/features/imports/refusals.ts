import { AppError, type ErrorDetail } from '../../lib/errors/index.ts'
import { StorageUnavailable } from '../../platform/storage/index.ts'

/** The reason that a record is refused; any other error fails the step. */
export function refusalOf(error: unknown): AppError {
  if (!(error instanceof AppError)) throw error
  if (error.code === 'SERVICE_UNAVAILABLE') throw new StorageUnavailable('Later', { cause: error })
  return error
}

/** The reasons of a refused write, by field. */
export function reasonsOf({ code, details }: AppError): ErrorDetail[] {
  if (details !== undefined && details.length > 0) return [...details]
  if (code === 'SLUG_TAKEN') return [{ field: 'slug', code }]
  if (code === 'EXTERNAL_ID_TAKEN') return [{ field: 'external_id', code }]
  return [{ field: '', code: 'LINK_CHANGED' }]
}
