import { open, type RequestOptions } from '../api/client.ts'

/**
 * Downloads a file with a request, because a plain link couldn't send the workspace header. The
 * browser keeps a large body on disk.
 * @throws ApiError
 */
export async function download(
  path: string,
  query: NonNullable<RequestOptions['query']>,
  name: string,
): Promise<void> {
  const response = await open('GET', path, { query })
  saveAs(await response.blob(), name)
}

/** Saves a file like a browser's download. */
export function saveAs(file: Blob, name: string): void {
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
