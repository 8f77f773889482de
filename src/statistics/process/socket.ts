import { lstatSync, mkdirSync, renameSync, unlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/**
 * Longer paths don't fit into a socket's address (sockaddr_un: 108 on Linux, 104 on macOS), once they
 * have a process id at their end.
 */
const LONGEST_BYTES = 92

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

/**
 * Makes the socket's directory, if need be. Returns a path of this process's own to listen at: the end
 * of listening deletes it. @throws when the directory is another user's
 */
export function prepareSocket(path: string): string {
  const directory = resolve(path, '..')
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(directory)
  const own = process.getuid?.()
  if (path.endsWith('/s') && (uid !== own || (mode & 0o077) !== 0)) {
    throw new Error('The directory of the socket belongs to others too')
  }
  return `${path}.${process.pid}`
}

/**
 * Moves the socket that listens at `own` to its public path, over that of a process that was killed or
 * is about to end. Returns what removes it, unless another process has put its own there.
 */
export function claimSocket(own: string, path: string): () => void {
  const { ino } = lstatSync(own)
  renameSync(own, path)
  return () => {
    if (lstatSync(path, { throwIfNoEntry: false })?.ino === ino) unlinkSync(path)
  }
}

/** Asks the statistics process of a data directory, for a command. @throws when it doesn't run */
export function askStatistics(
  dataDir: string,
  question: 'check' | 'counters' | 'lock-writes',
  args: readonly unknown[],
  signal: AbortSignal,
): Promise<Response> {
  const options = { unix: socketPath(dataDir), method: 'POST', body: JSON.stringify(args), signal }
  return fetch(`http://statistics/${question}`, options as RequestInit)
}
