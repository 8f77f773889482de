import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The files of a build: their locations, by path below the build's folder. */
export type BuiltFiles = ReadonlyMap<string, string>

/**
 * The dashboard's files. The packaged executable replaces this function with its own copy
 * (scripts/package.ts). @throws if nothing was built
 */
export function builtFiles(): BuiltFiles {
  return filesBelow(resolve(import.meta.dir, '../../../web/dist'))
}

/** Every file below a folder. @throws if there is none */
export function filesBelow(folder: string): BuiltFiles {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(paths.map((path) => [path.slice(folder.length + 1).replaceAll('\\', '/'), path]))
}
