import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from './fault.ts'

/** The directory of a backup that is being restored. */
export function restoringDirectory(dataDir: string): string {
  return join(dataDir, 'restoring')
}

/**
 * Makes the data directory if it doesn't exist, with mode 0700.
 * @throws ConfigError when it can't be created or written, isn't a directory, or holds a partly
 *   restored backup.
 */
export function ensureDataDir(dataDir: string): void {
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    if (!statSync(dataDir).isDirectory()) throw Object.assign(new Error(), { code: 'ENOTDIR' })
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException
    throw new ConfigError([
      {
        variable: 'SLUGLINE_DATA_DIR',
        problem: `resolves to ${dataDir}, which ${REASONS[code] ?? `can't be used (${code})`}`,
        example: `a directory that this user may write, e.g. ./data or /var/lib/slugline`,
      },
    ])
  }
  if (!existsSync(restoringDirectory(dataDir))) return
  throw new ConfigError([
    {
      variable: 'SLUGLINE_DATA_DIR',
      problem: `resolves to ${dataDir}, where a backup was only partly restored`,
      example: 'empty that directory, then run slugline restore again',
    },
  ])
}

const REASONS: Record<string, string> = {
  EACCES: 'this user may not write',
  EPERM: 'this user may not write',
  EROFS: 'is on a read-only file system',
  ENOSPC: 'is on a full file system',
  ENOTDIR: "isn't a directory",
  EEXIST: "isn't a directory",
}
