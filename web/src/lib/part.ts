import { ApiError } from '../api/errors.ts'

/** The code of a part that didn't come because nothing comes. */
export const NOT_LOADED = 'NOT_LOADED'

/**
 * Loads a part of the program.
 * @throws ApiError with {@link NOT_LOADED} where the server can't be reached: then the page has to stay,
 * because a fresh one wouldn't come either. Otherwise what the browser says: the server has another version.
 */
export async function part<T>(load: () => Promise<T>): Promise<T> {
  try {
    return await load()
  } catch (cause) {
    throw (await isReachable()) ? cause : new ApiError(0, NOT_LOADED, '')
  }
}

/** Whether the server answers, with whatever. */
export function isReachable(): Promise<boolean> {
  return fetch(`${import.meta.env.BASE_URL}icon.svg`, { method: 'HEAD', cache: 'no-store' }).then(
    () => true,
    () => false,
  )
}
