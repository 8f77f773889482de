import { resolve } from 'node:path'

/**
 * The command line that runs this same program with other arguments: from a checkout, or as the
 * packaged executable, which is its own runtime. `--smol`: with a small heap, as helpers have it.
 */
export function ownProgram(...args: string[]): string[] {
  if (Bun.isStandaloneExecutable) return [process.execPath, ...args]
  const main = resolve(import.meta.dir, '../main.ts')
  return [process.execPath, '--no-env-file', '--smol', main, ...args]
}

/** How a person starts this program, for hints. */
export const PROGRAM_NAME = Bun.isStandaloneExecutable ? 'slugline' : 'bin/slugline'
