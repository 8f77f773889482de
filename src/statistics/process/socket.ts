import { lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** Longer paths don't fit into a socket's address (sockaddr_un: 108 on Linux, 104 on macOS). */
const LONGEST_BYTES = 100

/**
 * Where the statistics process of a data directory listens: in it, or, when that path is too long,
 * in a directory of this user's own below the temporary one. The same for all who ask.
 */
export function socketPath(dataDir: string): string {
  const path = join(resolve(dataDir), 'statistics.sock')
  if (Buffer.byteLength(path) <= LONGEST_BYTES) return path
  const name = Bun.hash.wyhash(resolve(dataDir)).toString(36)
  return join(tmpdir(), `slugline-${process.getuid?.() ?? 0}-${name}`, 's')
}

/** Makes the socket's directory, if need be. @throws when it is somebody else's */
export function prepareSocket(path: string): void {
  const directory = resolve(path, '..')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(directory)
  const own = process.getuid?.()
  if (path.endsWith('/s') && (uid !== own || (mode & 0o077) !== 0)) {
    throw new Error('The directory of the socket is not ours alone')
  }
}
