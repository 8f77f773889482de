import { chmodSync, closeSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Replaces a small file, readable by its owner alone, so that a crash or a power cut leaves the old
 * or the new one. @throws when it can't be written
 */
export function replaceFile(file: string, text: string): void {
  const draft = `${file}.new`
  writeSynced(draft, text, 'w')
  // The mode above doesn't change a draft that a crash has left.
  chmodSync(draft, 0o600)
  renameSync(draft, file)
  syncDirectory(dirname(file))
}

/** Writes a file for its owner alone, and syncs it. */
export function writeSynced(file: string, text: string, flags: 'w' | 'wx'): void {
  const descriptor = openSync(file, flags, 0o600)
  try {
    writeSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
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
