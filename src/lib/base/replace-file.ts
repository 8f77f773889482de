import { chmodSync, closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Atomically replaces a small file with mode 0600: after a crash or power cut it has the old or the
 * new text. @throws when it can't be written
 */
export function replaceFile(file: string, text: string): void {
  const draft = `${file}.new`
  writeSynced(draft, text, 'w')
  // A draft left over from a crash keeps its old mode otherwise.
  chmodSync(draft, 0o600)
  renameSync(draft, file)
  syncDirectory(dirname(file))
}

/** Writes a file with mode 0600, and syncs it. */
export function writeSynced(file: string, text: string, flags: 'w' | 'wx'): void {
  const descriptor = openSync(file, flags, 0o600)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Syncs a directory, without which a rename in it doesn't survive a power cut: see fsync(2). */
export function syncDirectory(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
