import { copyFileSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { BunPlugin } from 'bun'
import { builtFiles } from '../../src/http/dashboard/index.ts'
import { ROOT } from '../steps.ts'
import { embeddedDuckdb, installDuckdb, installedDuckdb } from './duckdb.ts'

/**
 * Passkeys need a module whose first import is a polyfill for its second one. In a bundle of its ES
 * modules Bun 1.4.5 runs them in reverse order, and no account can be created; CommonJS keeps the
 * order.
 */
export const orderedImports: BunPlugin = {
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

/** What every form of the program is bundled from, and how. */
export const BUNDLE = {
  entrypoints: ['cli/main.ts', 'platform/storage/sqlite/thread-main.ts'].map((path) =>
    join(ROOT, 'src', path),
  ),
  root: join(ROOT, 'src'),
  target: 'bun',
  minify: { syntax: true, whitespace: true },
  sourcemap: 'none',
  format: 'esm',
} as const

async function compile(outfile: string, duckdb: BunPlugin): Promise<void> {
  await Bun.build({
    ...BUNDLE,
    entrypoints: [...BUNDLE.entrypoints],
    // Compiled to bytecode: a start takes half the time, for 17 MB of 200.
    bytecode: true,
    plugins: [duckdb, orderedImports, dashboard()],
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
  })
}

/** Builds the program as one executable, which contains everything. */
export async function buildExecutable(outfile: string): Promise<void> {
  await compile(outfile, embeddedDuckdb())
}

/** Installs the program below a root directory, as packages and images have it. */
export async function installProgram(root: string): Promise<void> {
  const prefix = join(root, 'usr')
  const program = join(prefix, 'bin/slugline')
  const documents = join(prefix, 'share/doc/slugline')
  for (const folder of [dirname(program), documents]) mkdirSync(folder, { recursive: true })
  await compile(program, installedDuckdb())
  installDuckdb(prefix)
  for (const name of ['LICENSE', 'NOTICE']) copyFileSync(join(ROOT, name), join(documents, name))
}
