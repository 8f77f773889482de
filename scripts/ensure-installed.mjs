// Installs the dependencies when they are missing or not those of package-lock.json. Plain Node,
// because nothing else is there yet; silent and quick when there is nothing to do.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const lockFile = join(root, 'package-lock.json')
const modules = join(root, 'node_modules')
const stampFile = join(modules, '.slugline-installed')

const [major] = process.versions.node.split('.')
if (Number(major) < 20) {
  console.error(`slugline: Node 20 or newer is needed to install it, this is ${process.version}`)
  process.exit(1)
}

const lockText = readFileSync(lockFile, 'utf8')
// Another platform's binaries are another installation, though the lock is the same.
const wanted = createHash('sha256')
  .update(`${process.platform} ${process.arch} ${lockText}`)
  .digest('hex')

if (readStamp() !== wanted) {
  if (!isInstalled()) install()
  writeFileSync(stampFile, `${wanted}\n`)
}

function readStamp() {
  try {
    return readFileSync(stampFile, 'utf8').trim()
  } catch {
    return null
  }
}

/** Whether somebody's own `npm install` has put exactly the locked versions there. */
function isInstalled() {
  try {
    const there = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')).packages
    return (
      Object.entries(JSON.parse(lockText).packages).every(
        ([path, { version, optional }]) =>
          path === '' || (optional && !there[path]) || there[path]?.version === version,
      ) && hasRuntime()
    )
  } catch {
    return false
  }
}

/** Bun comes as one optional package for each platform: npm is content without any. */
function hasRuntime() {
  const folder = join(modules, '@oven')
  const packages = existsSync(folder) ? readdirSync(folder) : []
  const binaries = packages.map((name) => join(folder, name, 'bin/bun'))
  return [...binaries, join(modules, 'bun/bin/bun.exe')].some((file) => existsSync(file))
}

function install() {
  console.error('slugline: installing dependencies …')
  // `npm ci` wants every platform's optional packages in the lock, and not every registry has
  // them all. `npm install` takes the locked versions too; without saving, so that the checkout
  // stays as it is.
  if (npm(['ci'], 'pipe') || npm(['install', '--no-save'], 'inherit')) return
  console.error('slugline: npm could not install the dependencies; its messages stand above')
  process.exit(1)
}

function npm(command, messages) {
  // Development tools included whatever NODE_ENV says: they are what `npm test` runs.
  const options = ['--include=dev', '--include=optional', '--no-audit', '--no-fund']
  // To stderr all of it: stdout belongs to the command that comes after.
  const stdio = messages === 'pipe' ? 'pipe' : ['ignore', 2, 2]
  const shell = process.platform === 'win32'
  return spawnSync('npm', [...command, ...options], { cwd: root, stdio, shell }).status === 0
}
