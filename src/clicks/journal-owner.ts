import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../lib/base/replace-file.ts'

const file = (directory: string) => join(directory, 'instance')

/** The id of the instance that a journal belongs to; null: not known. */
export function journalOwner(directory: string): string | null {
  try {
    return readFileSync(file(directory), 'utf8').trim() || null
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Writes which instance a journal belongs to, unless it says that already. */
export function ownJournal(directory: string, owner: string): void {
  if (journalOwner(directory) !== null) return
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  replaceFile(file(directory), `${owner}\n`)
}
