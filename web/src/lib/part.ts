import { ApiError } from '../api/errors.ts'

/** The code of the error for a chunk that couldn't be loaded because the server is unreachable. */
export const NOT_LOADED = 'NOT_LOADED'

/**
 * Loads a chunk of the program.
 * @throws ApiError with {@link NOT_LOADED} if the server can't be reached: reloading the page
 *   wouldn't help. Otherwise the browser's error: the server has another version.
 */
export async function part<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    throw (await isReachable()) ? cause : new ApiError(0, NOT_LOADED, '')
  }
}

/** Whether the server responds at all. */
export function isReachable(): Promise<boolean> {
  return fetch(`${import.meta.env.BASE_URL}icon.svg`, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )
}
