import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dir, '../..')
const SOURCE = join(ROOT, 'sdk/typescript')
const TSC = join(ROOT, 'node_modules/.bin/tsc')

/** The package as npm would publish it, and an empty project that has installed it. */
export interface Packed {
  tarball: string
  project: string
  /** What the package has, as installed. */
  installed: string
  /** Runs a program in the project, and returns its output; fails with its errors. */
  run(command: string[], env?: Record<string, string>): string
  dispose(): void
}

/** Builds the package from a copy, so that nothing remains in the checkout, and installs it. */
export function packSdk(): Packed {
  const directory = mkdtempSync(join(tmpdir(), 'sdk-'))
  const copy = join(directory, 'copy')
  cpSync(SOURCE, copy, { recursive: true, filter: (path) => !path.endsWith('dist') })
  const project = join(directory, 'project')
  mkdirSync(project)
  const run = (command: string[], cwd: string, env: Record<string, string> = {}) => {
    const child = Bun.spawnSync(command, {
      cwd,
      env: { PATH: process.env.PATH ?? '', HOME: directory, npm_config_cache: directory, ...env },
    })
    if (child.exitCode !== 0) {
      throw new Error(`${command.join(' ')}:\n${child.stdout}${child.stderr}`)
    }
    return child.stdout.toString()
  }
  run([TSC, '-p', join(copy, 'tsconfig.json')], copy)
  run(['npm', 'pack', '--silent'], copy)
  const name = readdirSync(copy).find((file) => file.endsWith('.tgz')) ?? ''
  const tarball = join(copy, name)
  writeFileSync(join(project, 'package.json'), '{"private":true,"type":"module"}')
  run(['npm', 'install', '--offline', '--no-audit', '--no-fund', '--silent', tarball], project)
  const installed = join(project, 'node_modules/@slugline/sdk')
  if (!existsSync(installed)) throw new Error('npm has not installed the package')
  return {
    tarball,
    project,
    installed,
    run: (command, env) => run(command, project, env),
    dispose: () => rmSync(directory, { recursive: true, force: true }),
  }
}

/** The TypeScript compiler of the checkout. */
export { TSC }
