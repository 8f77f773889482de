import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { BunPlugin } from 'bun'
import { ROOT } from '../steps.ts'

const LIBRARY_NAMES = ['libduckdb.so', 'libduckdb.dylib', 'duckdb.dll']
const ADDON_NAME = 'duckdb.node'

/** DuckDB's addon and library, as npm installed them for this platform. */
function nativeFiles() {
  const require = createRequire(join(ROOT, 'node_modules/@duckdb/node-bindings/duckdb.js'))
  const binding = `@duckdb/node-bindings-${process.platform}-${process.arch}/${ADDON_NAME}`
  const addon = require.resolve(binding)
  const folder = dirname(addon)
  const libraryName = LIBRARY_NAMES.find((name) => existsSync(join(folder, name)))
  if (libraryName === undefined) throw new Error(`There is no DuckDB library in ${folder}`)
  return { addon, library: join(folder, libraryName), libraryName }
}

/** A plugin that replaces @duckdb/node-bindings with a CommonJS module, because it is `require`d. */
function bindings(
  contents: string,
  more: (build: Bun.PluginBuilder) => void = () => {},
): BunPlugin {
  return {
    name: 'duckdb',
    setup(build) {
      build.onResolve({ filter: /^@duckdb\/node-bindings$/ }, () => ({
        path: 'packaged:bindings',
        namespace: 'packaged',
      }))
      build.onResolve({ filter: /^packaged:/ }, ({ path }) => ({ path, namespace: 'packaged' }))
      build.onLoad({ filter: /bindings$/, namespace: 'packaged' }, () => ({
        loader: 'js',
        contents,
      }))
      more(build)
    },
  }
}

/** DuckDB's addon and library, as files inside the executable. */
export function embeddedDuckdb(): BunPlugin {
  const { addon, library, libraryName } = nativeFiles()
  const digest = createHash('sha256')
    .update(readFileSync(library))
    .update(readFileSync(addon))
    .digest('hex')
  const source = join(import.meta.dir, 'embedded-duckdb.ts')
  return bindings(`module.exports = require(${JSON.stringify(source)}).bindings`, (build) => {
    build.onLoad({ filter: /about$/, namespace: 'packaged' }, () => ({
      loader: 'json',
      contents: JSON.stringify({ digest, libraryName }),
    }))
    // Renamed: a `.node` file would be loaded from inside the executable, where its library isn't
    // beside it.
    build.onLoad({ filter: /(addon|library)$/, namespace: 'packaged' }, ({ path }) => ({
      loader: 'file',
      contents: readFileSync(path.endsWith('addon') ? addon : library),
    }))
  })
}

/**
 * DuckDB's addon and library in `lib/slugline` next to the executable's `bin`: people who installed one
 * installed the other, so nothing is extracted or checked at run time.
 */
export function installedDuckdb(): BunPlugin {
  return bindings(`
    const { dirname, join } = require('node:path')
    const folder = join(dirname(process.execPath), '../lib/slugline')
    const loaded = { exports: {} }
    process.dlopen(loaded, join(folder, ${JSON.stringify(ADDON_NAME)}))
    module.exports = loaded.exports`)
}

/** Copies what {@link installedDuckdb} loads to `prefix/lib/slugline`. */
export function installDuckdb(prefix: string): void {
  const { addon, library, libraryName } = nativeFiles()
  const folder = join(prefix, 'lib/slugline')
  mkdirSync(folder, { recursive: true })
  copyFileSync(addon, join(folder, ADDON_NAME))
  copyFileSync(library, join(folder, libraryName))
}
