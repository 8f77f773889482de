import { AppError } from '../lib/errors/index.ts'
import { StorageUnavailable } from '../platform/storage/index.ts'

/** `Retry-After` while the storage is unavailable. */
const UNAVAILABLE_RETRY_SECONDS = 5

/** The error for the client; INTERNAL_ERROR for unexpected failures. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof StorageUnavailable) {
    return new AppError('SERVICE_UNAVAILABLE', {
      headers: { 'Retry-After': String(UNAVAILABLE_RETRY_SECONDS) },
      cause: error,
    })
  }
  return new AppError('INTERNAL_ERROR', { cause: error })
}
