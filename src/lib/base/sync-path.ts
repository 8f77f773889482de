import { open } from 'node:fs/promises'

/**
 * Makes a file's bytes, or the names in a directory, survive a power cut, whichever process has
 * written them: see fsync(2). Off the event loop. Nothing happens if it doesn't exist.
 */
export async function syncPath(path: string): Promise<void> {
  try {
    const handle = await open(path, 'r')
    await handle.sync().finally(() => handle.close())
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}
