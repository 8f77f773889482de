import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { replaceFile } from '../../lib/base/replace-file.ts'

/** The last completed backup. */
export interface LastBackup {
  /** When it began, in milliseconds since the Unix epoch. */
  at: number
  durationMs: number
  bytes: number
}

function stateFile(dataDir: string): string {
  return join(dataDir, 'last-backup')
}

/** Records a completed backup. */
export function writeState(dataDir: string, state: LastBackup): void {
  replaceFile(stateFile(dataDir), `${JSON.stringify(state)}\n`)
}

/** The last backup of an instance; null: none is recorded. */
export function readState(dataDir: string): LastBackup | null {
  try {
    const state = JSON.parse(readFileSync(stateFile(dataDir), 'utf8')) as LastBackup
    return Number.isFinite(state.at) ? state : null
  } catch {
    return null
  }
}
