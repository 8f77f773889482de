// Replaces @duckdb/node-bindings inside the packaged executable. The operating system loads
// libraries only from files, so the two that the executable contains are written to a folder named
// by their content.
import { createHash } from 'node:crypto'
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { digest, libraryName } from 'packaged:about'
import addon from 'packaged:addon' with { type: 'file' }
import library from 'packaged:library' with { type: 'file' }

const ADDON = 'duckdb.node'

/**
 * Loads the addon from the first directory that permits it: one may be read-only or noexec. The
 * data directory comes last, because a backup is restored into an empty one.
 */
function load() {
  // `homedir()` throws for a user without an entry in passwd, as in a container.
  const { XDG_CACHE_HOME, HOME, SLUGLINE_DATA_DIR } = process.env
  const places = [XDG_CACHE_HOME, HOME && join(HOME, '.cache'), tmpdir(), SLUGLINE_DATA_DIR]
  let failure: unknown
  for (const place of places) {
    if (!place?.startsWith('/')) continue
    const folder = join(place, `slugline-${process.getuid?.() ?? ''}`, digest)
    try {
      if (!isWhole(folder)) unpack(folder)
      const loaded = { exports: {} }
      process.dlopen(loaded, join(folder, ADDON))
      return loaded.exports
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

function unpack(folder: string): void {
  const parent = join(folder, '..')
  mkdirSync(parent, { recursive: true, mode: 0o700 })
  assertOwn(parent)
  const fresh = mkdtempSync(`${folder}.`)
  writeFileSync(join(fresh, libraryName), readFileSync(library), { mode: 0o500 })
  writeFileSync(join(fresh, ADDON), readFileSync(addon), { mode: 0o500 })
  chmodSync(fresh, 0o700)
  try {
    renameSync(fresh, folder)
  } catch (error) {
    rmSync(fresh, { recursive: true })
    // Another process was faster.
    if (!isWhole(folder)) throw error
  }
}

/** Checks that no one else can have written what is loaded. */
function assertOwn(path: string): void {
  const { uid, mode } = lstatSync(path)
  if (uid !== process.getuid?.() || (mode & 0o022) !== 0) throw new Error(`${path} is not ours`)
}

function isWhole(folder: string): boolean {
  try {
    assertOwn(join(folder, '..'))
    assertOwn(folder)
    const hash = createHash('sha256')
    for (const name of [libraryName, ADDON]) {
      assertOwn(join(folder, name))
      hash.update(readFileSync(join(folder, name)))
    }
    return hash.digest('hex') === digest
  } catch {
    return false
  }
}

/** What @duckdb/node-bindings exports. */
export const bindings = load()
