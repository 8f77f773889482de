import {
  closeSync,
  fdatasync,
  fstatSync,
  fsync,
  ftruncateSync,
  openSync,
  readSync,
  writeSync,
} from 'node:fs'

const TAIL_BYTES = 65_536

/** Cuts off what a crash left after the last complete line. */
export function cutTornTail(file: string): void {
  const descriptor = openSync(file, 'r+')
  try {
    const { size } = fstatSync(descriptor)
    const tail = Buffer.alloc(Math.min(size, TAIL_BYTES))
    readSync(descriptor, tail, 0, tail.length, size - tail.length)
    const end = tail.lastIndexOf('\n')
    // If no line ends within this many bytes, it is not a journal line: readers skip it.
    if (end < 0 && size > tail.length) return
    const torn = tail.length - (end + 1)
    if (torn > 0) ftruncateSync(descriptor, size - torn)
  } finally {
    closeSync(descriptor)
  }
}

/** System calls that can fail; tests replace them. */
export const systemIo = {
  open: (file: string) => {
    const descriptor = openSync(file, 'a', 0o600)
    syncDirectoryOf(file)
    return descriptor
  },
  /** Returns how many bytes were written, perhaps fewer than given. */
  write: (descriptor: number, text: string) => writeSync(descriptor, text, null, 'latin1'),
  size: (descriptor: number) => fstatSync(descriptor).size,
  sync: (descriptor: number, done: (error: Error | null) => void) => fdatasync(descriptor, done),
  close: closeSync,
}

export type JournalIo = typeof systemIo

/** A new file survives a power cut once its directory is synced (fsync(2)); asynchronous. */
function syncDirectoryOf(file: string): void {
  try {
    const directory = openSync(file.slice(0, file.lastIndexOf('/')), 'r')
    fsync(directory, () => closeSync(directory))
  } catch {
    // Some file systems refuse this; then they guarantee the order themselves.
  }
}
