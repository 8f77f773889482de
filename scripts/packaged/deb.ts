import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { ROOT } from '../steps.ts'
import { installProgram } from './executable.ts'

const SOURCES = join(ROOT, 'deploy/debian')
const ARCHITECTURES: Partial<Record<NodeJS.Architecture, string>> = { x64: 'amd64', arm64: 'arm64' }

/** Files of deploy/debian, with their places and modes. */
const FILES = [
  ['slugline.env', 'etc/slugline/slugline.env', 0o600],
  ['slugline-admin', 'usr/sbin/slugline-admin', 0o755],
  ['slugline.sysusers', 'usr/lib/sysusers.d/slugline.conf', 0o644],
  ['../slugline.service', 'usr/lib/systemd/system/slugline.service', 0o644],
  ['copyright', 'usr/share/doc/slugline/copyright', 0o644],
  ['lintian-overrides', 'usr/share/lintian/overrides/slugline', 0o644],
] as const

const SCRIPTS = ['postinst', 'prerm', 'postrm']

/** Makes a Debian package by dpkg-deb. Returns its path. */
export async function packDeb(destination: string): Promise<string> {
  const architecture = ARCHITECTURES[process.arch]
  if (process.platform !== 'linux' || architecture === undefined) {
    throw new Error(`Debian packages are for Linux on ${Object.keys(ARCHITECTURES).join(' or ')}`)
  }
  const { version } = (await Bun.file(join(ROOT, 'package.json')).json()) as { version: string }
  const root = mkdtempSync(join(tmpdir(), 'slugline-deb-'))
  try {
    chmodSync(root, 0o755)
    await installProgram(root)
    for (const [from, to, mode] of FILES) install(join(SOURCES, from), join(root, to), mode)
    writeDocuments(root, version)
    const control = join(root, 'DEBIAN')
    mkdirSync(control, { mode: 0o755 })
    for (const name of SCRIPTS) install(join(SOURCES, name), join(control, name), 0o755)
    writeControl(root, version.replace('-', '~'), architecture)
    mkdirSync(destination, { recursive: true })
    const file = join(destination, `slugline_${version.replace('-', '~')}_${architecture}.deb`)
    // Every dpkg reads it; xz takes minutes, and zstd isn't in Debian's policy.
    const options = ['--root-owner-group', '-Zgzip', '-z6', '--build', root, file]
    const built = Bun.spawnSync(['dpkg-deb', ...options])
    if (built.exitCode !== 0) throw new Error(`dpkg-deb: ${built.stderr}`)
    return file
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function install(from: string, to: string, mode: number): void {
  mkdirSync(dirname(to), { recursive: true, mode: 0o755 })
  copyFileSync(from, to)
  chmodSync(to, mode)
}

/** Changelog and manual pages are compressed, and the licence is Debian's own copy. */
function writeDocuments(root: string, version: string): void {
  const folder = join(root, 'usr/share/doc/slugline')
  rmSync(join(folder, 'LICENSE'))
  const date = new Date(0).toUTCString().replace('GMT', '+0000')
  const maintainer = /^Maintainer: (.*)$/m.exec(readFileSync(join(SOURCES, 'control'), 'utf8'))?.[1]
  const entry = `slugline (${version}) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- ${maintainer}  ${date}\n`
  const manual = readFileSync(join(SOURCES, 'slugline.1'))
  for (const [file, contents] of [
    [join(folder, 'changelog.gz'), entry],
    [join(root, 'usr/share/man/man1/slugline.1.gz'), manual],
    [join(root, 'usr/share/man/man8/slugline-admin.8.gz'), '.so man1/slugline.1\n'],
  ] as const) {
    mkdirSync(dirname(file), { recursive: true, mode: 0o755 })
    writeFileSync(file, gzipSync(contents, { level: 9 }))
  }
}

function writeControl(root: string, version: string, architecture: string): void {
  const files = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(join(root, 'DEBIAN')))
  const kibibytes = files.reduce((sum, file) => sum + Math.ceil(statSync(file).size / 1024), 0)
  const control = readFileSync(join(SOURCES, 'control'), 'utf8')
    .replace('VERSION', version)
    .replace('ARCHITECTURE', architecture)
    .replace('SIZE', `${kibibytes}`)
  const md5 = (file: string) => new Bun.CryptoHasher('md5').update(readFileSync(file)).digest('hex')
  const sums = files
    .map((file) => file.slice(root.length + 1))
    .filter((file) => !file.startsWith('etc/'))
    .map((file) => `${md5(join(root, file))}  ${file}\n`)
  writeFileSync(join(root, 'DEBIAN/control'), control)
  writeFileSync(join(root, 'DEBIAN/conffiles'), '/etc/slugline/slugline.env\n')
  writeFileSync(join(root, 'DEBIAN/md5sums'), sums.join(''))
}
