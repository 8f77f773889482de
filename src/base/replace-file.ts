import { chmodSync, closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a small file, readable by its owner alone, so that a crash or a power cut leaves the old
 * or the new one. @throws when it can't be written
 */
export function replaceFile(file: string, text: string): void {
  const draft = `${file}.new`
  const descriptor = openSync(draft, 'w', 0o600)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  // The mode above doesn't change a draft that a crash has left.
  chmodSync(draft, 0o600)
  renameSync(draft, file)
  syncDirectory(dirname(file))
}

/** A renamed file survives a power cut once its directory is synced: see fsync(2). */
export function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
