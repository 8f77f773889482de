import { AppError } from '../lib/errors/index.ts'
import { StorageUnavailable } from '../platform/storage/index.ts'

/** `Retry-After` while the storage is unavailable. */
const UNAVAILABLE_RETRY_SECONDS = 5

/**
 * The error for the client; INTERNAL_ERROR for unexpected failures.
 * @param connection aborted: the client has disconnected
 */
export function asAppError(error: unknown, connection?: AbortSignal): AppError {
  if (error instanceof AppError) return error
  // Its body can't be read to the end: no failure of ours, and the client doesn't read the response.
  const isGone = connection?.aborted === true && (error as Error | null)?.name === 'AbortError'
  if (isGone) return new AppError('BAD_REQUEST')
  if (error instanceof StorageUnavailable) {
    return new AppError('SERVICE_UNAVAILABLE', {
      headers: { 'Retry-After': String(UNAVAILABLE_RETRY_SECONDS) },
      cause: error,
    })
  }
  return new AppError('INTERNAL_ERROR', { cause: error })
}
