// The npm package replaces this module, because its files are elsewhere (scripts/packaged/npm.ts).
import { resolve } from 'node:path'

/**
 * The command line that runs this program with other arguments: from a checkout, or as the packaged
 * executable, which is its own runtime. `--smol` gives the helper processes a small heap.
 */
export function ownProgram(...args: string[]): string[] {
  if (Bun.isStandaloneExecutable) return [process.execPath, ...args]
  const main = resolve(import.meta.dir, '../../cli/main.ts')
  return [process.execPath, '--no-env-file', '--smol', main, ...args]
}

/**
 * The program of a thread that reads the database; in the packaged executable its path is relative to
 * the sources' root.
 */
export const THREAD_PROGRAM = Bun.isStandaloneExecutable
  ? './platform/storage/sqlite/thread-main.ts'
  : new URL('../../platform/storage/sqlite/thread-main.ts', import.meta.url)

/** The command that starts this program, for hints to the user. */
export const PROGRAM_NAME = Bun.isStandaloneExecutable ? 'slugline' : 'bin/slugline'
