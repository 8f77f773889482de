import { open, type RequestOptions } from '../api/client.ts'

/**
 * Fetches a file and hands it to the browser. Not by a link's address: that couldn't name the
 * workspace. The browser keeps a large body on disk, not in memory.
 * @throws ApiError
 */
export async function download(
  path: string,
  query: NonNullable<RequestOptions['query']>,
  name: string,
): Promise<void> {
  const response = await open('GET', path, { query })
  const address = URL.createObjectURL(await response.blob())
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
