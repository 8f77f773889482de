// Builds the dashboard into web/dist: with --if-needed only if it is missing or older than its
// sources. Every file that compresses well also gets a gzip and a brotli file, so that serving
// costs nothing.
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

const root = join(import.meta.dir, '..')
const web = join(root, 'web')
const dist = join(web, 'dist')
/** The new build, which replaces the old one when it is complete. */
const fresh = join(root, `node_modules/.web-${process.pid}`)
/** When it was built. */
const stamp = join(dist, '.built')
const CONFIGS = ['vite.config.ts', 'vite.shared.config.ts', 'vite.signed-out.config.ts']
const COMPRESSIBLE = /\.(?:js|css|html|svg|json)$/
const SMALL_BYTES = 1_024

function filesOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Whether any source of the dashboard is newer than the build. */
function isNeeded(): boolean {
  if (!existsSync(stamp)) return true
  const built = statSync(stamp).mtimeMs
  const sources = [
    ...['src', 'public', 'vite'].flatMap((folder) => filesOf(join(web, folder))),
    ...['index.html', 'signed-out.html', 'shared.html', ...CONFIGS, 'package.json'].map((name) =>
      join(web, name),
    ),
    join(root, 'package-lock.json'),
  ]
  return sources.some((file) => !file.endsWith('.test.ts') && statSync(file).mtimeMs > built)
}

function compress(file: string): void {
  const bytes = readFileSync(file)
  if (bytes.length < SMALL_BYTES) return
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  }
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}

/** Replaces the served build; another build may do so at the same moment. */
function takePlace(): void {
  for (let tries = 1; ; tries++) {
    rmSync(dist, { recursive: true, force: true })
    try {
      renameSync(fresh, dist)
      return
    } catch (error) {
      if (tries === 5) throw error
    }
  }
}

if (!process.argv.includes('--if-needed') || isNeeded()) {
  console.error('slugline: building the dashboard …')
  // Also if a test runs the build: React has another build for other environments.
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  try {
    for (const config of CONFIGS) {
      await build({
        configFile: join(web, config),
        mode: 'production',
        logLevel: 'warn',
        build: { outDir: fresh },
      })
    }
    // The first HTML is rendered for every response: it isn't compressed here.
    const files = filesOf(fresh).filter(
      (file) => COMPRESSIBLE.test(file) && !file.endsWith('.html'),
    )
    for (const file of files) compress(file)
    writeFileSync(join(fresh, '.built'), '')
    takePlace()
  } finally {
    rmSync(fresh, { recursive: true, force: true })
  }
}
