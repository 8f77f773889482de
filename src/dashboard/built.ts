import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** The files of a build: where each can be read, by its path below the build's folder. */
export type BuiltFiles = ReadonlyMap<string, string>

/**
 * The dashboard that comes with this program. The packaged executable carries its own copy in the
 * place of this function (scripts/package.ts). @throws where nothing was built
 */
export function builtFiles(): BuiltFiles {
  return filesBelow(resolve(import.meta.dir, '../../web/dist'))
}

/** Every file below a folder. @throws where there is none */
export function filesBelow(folder: string): BuiltFiles {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
  return new Map(paths.map((path) => [path.slice(folder.length + 1).replaceAll('\\', '/'), path]))
}
