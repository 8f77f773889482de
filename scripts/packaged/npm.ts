import { chmodSync, copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'
import { ROOT } from '../steps.ts'
import { BUNDLE, orderedImports } from './executable.ts'

const COUNTRIES = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'
/** What has native code stays a dependency of its own. */
const NATIVE = ['bun', '@duckdb/node-bindings']

/** Modules that name files, with the places that these have in the package. */
const MOVED: readonly (readonly [path: RegExp, contents: string])[] = [
  [
    /src\/lib\/base\/own-program\.ts$/,
    `import { fileURLToPath } from 'node:url'
    const main = fileURLToPath(new URL('./main.js', import.meta.url))
    export const ownProgram = (...args) => [process.execPath, '--no-env-file', '--smol', main, ...args]
    export const THREAD_PROGRAM = new URL('./thread-main.js', import.meta.url)
    export const PROGRAM_NAME = 'npx slugline'`,
  ],
  [
    /src\/clicks\/enrich\/default-database\.ts$/,
    `import { fileURLToPath } from 'node:url'
    export const defaultDatabase = () => fileURLToPath(new URL('./countries.mmdb', import.meta.url))`,
  ],
]

const moved: BunPlugin = {
  name: 'moved',
  setup(build) {
    for (const [filter, contents] of MOVED) {
      build.onLoad({ filter }, () => ({ loader: 'js', contents }))
    }
    // Its own function, for the folder beside the program.
    build.onLoad({ filter: /src\/http\/dashboard\/built\.ts$/ }, async ({ path }) => ({
      loader: 'ts',
      contents: (await Bun.file(path).text()).replace('../../../web/dist', 'web'),
    }))
  },
}

/**
 * Makes the npm package `slugline`: one bundle with the dashboard, which runs on the Bun that npm
 * installs with it. Returns the tarball's path.
 */
export async function packNpm(destination: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'slugline-npm-'))
  try {
    const program = join(folder, 'dist')
    await Bun.build({
      ...BUNDLE,
      entrypoints: [...BUNDLE.entrypoints],
      outdir: program,
      // One file for each entry: in chunks Bun 1.4.5 runs modules before what they import.
      naming: '[name].js',
      external: NATIVE,
      plugins: [orderedImports, moved],
    })
    const require = createRequire(join(ROOT, 'package.json'))
    copyFileSync(require.resolve(COUNTRIES), join(program, 'countries.mmdb'))
    cpSync(join(ROOT, 'web/dist'), join(program, 'web'), { recursive: true })
    for (const name of ['README.md', 'LICENSE', 'NOTICE']) {
      copyFileSync(join(ROOT, name), join(folder, name))
    }
    await writeLaunchers(folder)
    await Bun.write(join(folder, 'package.json'), JSON.stringify(await manifest(require), null, 2))
    mkdirSync(destination, { recursive: true })
    const pack = Bun.spawnSync(['npm', 'pack', '--json', '--pack-destination', destination], {
      cwd: folder,
    })
    if (pack.exitCode !== 0) throw new Error(`npm pack: ${pack.stderr}`)
    const [{ filename }] = JSON.parse(pack.stdout.toString()) as [{ filename: string }]
    return join(destination, filename)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Those of the checkout, for the bundle; without a command the package serves. */
async function writeLaunchers(folder: string): Promise<void> {
  const launcher = await Bun.file(join(ROOT, 'bin/slugline')).text()
  const changed = launcher
    .replace('from a checkout', 'from the npm package')
    .replace('exec ', 'if [ $# -eq 0 ]; then set -- serve; fi\nexec ')
    .replace('src/cli/main.ts', 'dist/main.js')
  mkdirSync(join(folder, 'bin'))
  await Bun.write(join(folder, 'bin/slugline'), changed)
  copyFileSync(join(ROOT, 'bin/bun'), join(folder, 'bin/bun'))
  for (const name of ['slugline', 'bun']) chmodSync(join(folder, 'bin', name), 0o755)
}

/** Without workspaces, scripts and what is only for development. */
async function manifest(require: NodeJS.Require) {
  const { name, version, description, license, type, engines, bin } = await Bun.file(
    join(ROOT, 'package.json'),
  ).json()
  const dependencies = Object.fromEntries(
    NATIVE.map((each) => [each, require(`${each}/package.json`).version as string]),
  )
  return {
    ...{ name, version, description, license, type, engines, bin, dependencies },
    os: ['linux', 'darwin'],
    files: ['bin', 'dist', 'NOTICE'],
  }
}
