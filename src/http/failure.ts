import { AppError } from '../errors/index.ts'
import { StorageUnavailable } from '../storage/index.ts'

/** How long a client waits before it tries an unavailable storage again. */
const UNAVAILABLE_RETRY_SECONDS = 5

/** The error that the client gets for a failure; INTERNAL_ERROR for all that isn't meant for it. */
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
