// Builds Slugline as one executable for this platform: `npm run package`.
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { BunPlugin } from 'bun'
import { builtFiles } from '../src/http/dashboard/index.ts'

const ROOT = join(import.meta.dir, '..')
const BINDINGS = join(import.meta.dir, 'packaged/duckdb-bindings.ts')
const LIBRARY_NAMES = ['libduckdb.so', 'libduckdb.dylib', 'duckdb.dll']

/** DuckDB's addon and library, as files inside the executable. */
function duckdb(): BunPlugin {
  const require = createRequire(join(ROOT, 'node_modules/@duckdb/node-bindings/duckdb.js'))
  const binding = `@duckdb/node-bindings-${process.platform}-${process.arch}/duckdb.node`
  const addon = require.resolve(binding)
  const folder = dirname(addon)
  const libraryName = LIBRARY_NAMES.find((name) => existsSync(join(folder, name)))
  if (libraryName === undefined) throw new Error(`There is no DuckDB library in ${folder}`)
  const library = join(folder, libraryName)
  const digest = createHash('sha256')
    .update(readFileSync(library))
    .update(readFileSync(addon))
    .digest('hex')
  return {
    name: 'duckdb',
    setup(build) {
      build.onResolve({ filter: /^@duckdb\/node-bindings$/ }, () => ({
        path: 'packaged:bindings',
        namespace: 'packaged',
      }))
      build.onResolve({ filter: /^packaged:/ }, ({ path }) => ({ path, namespace: 'packaged' }))
      build.onLoad({ filter: /about$/, namespace: 'packaged' }, () => ({
        loader: 'json',
        contents: JSON.stringify({ digest, libraryName }),
      }))
      // CommonJS, because @duckdb/node-api uses `require`.
      build.onLoad({ filter: /bindings$/, namespace: 'packaged' }, () => ({
        loader: 'js',
        contents: `module.exports = require(${JSON.stringify(BINDINGS)}).bindings`,
      }))
      // Renamed: a `.node` file would be loaded from inside the executable, where its library isn't
      // beside it.
      build.onLoad({ filter: /(addon|library)$/, namespace: 'packaged' }, ({ path }) => ({
        loader: 'file',
        contents: readFileSync(path.endsWith('addon') ? addon : library),
      }))
    },
  }
}

/**
 * Passkeys need a module whose first import is a polyfill for its second one. In a bundle of its ES
 * modules Bun 1.4.5 runs them in reverse order, and no account can be created; CommonJS keeps the
 * order.
 */
const orderedImports: BunPlugin = {
  name: 'ordered-imports',
  setup(build) {
    build.onResolve({ filter: /^@peculiar\/x509$/ }, ({ path, importer }) => ({
      path: createRequire(importer).resolve(path),
    }))
  },
}

/** The built dashboard, instead of the folder in a checkout. */
function dashboard(): BunPlugin {
  return {
    name: 'dashboard',
    setup(build) {
      const files = [...builtFiles()]
      build.onLoad({ filter: /src\/http\/dashboard\/built\.ts$/ }, () => ({
        loader: 'js',
        contents: [
          ...files.map((_, i) => `import f${i} from 'dashboard:${i}'`),
          `const files = new Map([${files.map(([name], i) => `[${JSON.stringify(name)}, f${i}]`)}])`,
          'export const builtFiles = () => files',
        ].join('\n'),
      }))
      build.onResolve({ filter: /^dashboard:/ }, ({ path }) => ({
        path: path.slice('dashboard:'.length),
        namespace: 'dashboard',
      }))
      build.onLoad({ filter: /./, namespace: 'dashboard' }, ({ path }) => ({
        loader: 'file',
        contents: readFileSync(files[Number(path)]?.[1] ?? ''),
      }))
    },
  }
}

const outfile = process.argv[2] ?? join(ROOT, 'dist/slugline')
await Bun.build({
  entrypoints: [
    join(ROOT, 'src/cli/main.ts'),
    join(ROOT, 'src/platform/storage/sqlite/thread-main.ts'),
  ],
  root: join(ROOT, 'src'),
  target: 'bun',
  minify: { syntax: true, whitespace: true },
  sourcemap: 'none',
  // Compiled to bytecode: a start takes half the time, for 17 MB of 200.
  bytecode: true,
  format: 'esm',
  plugins: [duckdb(), orderedImports, dashboard()],
  compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
})
console.log(`${outfile}, ${(statSync(outfile).size / 1_000_000).toFixed(0)} MB`)

/** The components of the executable, in CycloneDX (https://cyclonedx.org). */
const sbom = Bun.spawnSync(['npm', 'sbom', '--sbom-format', 'cyclonedx'], {
  cwd: ROOT,
  stderr: 'ignore',
})
if (sbom.exitCode !== 0) throw new Error('npm sbom failed')
interface Component {
  'bom-ref': string
  properties?: { name: string }[]
}
const bom = JSON.parse(sbom.stdout.toString())
// `--omit dev` would also leave out what packages for development and others both need.
const isDevelopment = ({ properties = [] }: Component) =>
  properties.some(({ name }) => name === 'cdx:npm:package:development')
const omitted = new Set(bom.components.filter(isDevelopment).map((it: Component) => it['bom-ref']))
bom.components = bom.components.filter((it: Component) => !omitted.has(it['bom-ref']))
bom.dependencies = bom.dependencies.filter(({ ref }: { ref: string }) => !omitted.has(ref))
// npm names it after the folder, as a library.
Object.assign(bom.metadata.component, { type: 'application', name: 'slugline' })
await Bun.write(`${outfile}.cdx.json`, JSON.stringify(bom, null, 2))
console.log(`${outfile}.cdx.json`)
