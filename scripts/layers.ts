/**
 * The layers of `src/`: a file imports from its own layer's folder and from lower layers, never
 * from a higher one. Exits with 1 and names the file, the import and the rule if that is violated.
 * Type-only files follow the same order, though they have no runtime cost.
 */
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { Glob } from 'bun'
import { ROOT } from './steps.ts'

/** From lowest to highest. A path is a folder or a file of `src/`; the longest match counts. */
const LAYERS: readonly (readonly string[])[] = [
  ['base'],
  ['i18n'],
  ['errors'],
  ['validation', 'storage'],
  [
    'config',
    'limits',
    'mail',
    'domains/index.ts',
    'domains/list.ts',
    'domains/shared.ts',
    'outgoing',
    'plans/types.ts',
  ],
  ['clicks', 'cluster', 'blocks/list.ts', 'links/values.ts', 'links/slug.ts'],
  ['enrich'],
  ['rules'],
  ['workers'],
  ['http', 'redirect'],
  ['plans', 'dashboard', 'audit'],
  ['users', 'docs', 'jobs'],
  ['workspaces'],
  ['keys'],
  ['tags', 'folders'],
  ['links', 'members', 'usage'],
  ['blocks', 'domains', 'imports'],
  ['accounts', 'explain', 'statistics', 'qr', 'utm', 'views'],
  ['shares'],
  ['operations'],
  ['move/unfinished.ts', 'backend/shared-secret.ts', 'backend/workers.ts'],
  ['backend/drain.ts'],
  ['backend', 'backup', 'move', 'administration.ts'],
  ['app.ts'],
  ['timers.ts'],
  ['parts.ts'],
  ['services.ts'],
  ['deps.ts'],
  ['commands'],
  ['main.ts'],
]

/** Imports forbidden by kind of file. Paths are below `src/`. */
const RULES: readonly { from: RegExp; to: RegExp; own: boolean; rule: string }[] = [
  {
    from: /./,
    to: /^storage\/(?!index\.ts$)/,
    own: false,
    rule: 'storage is used through its index.ts',
  },
  {
    from: /./,
    to: /\/(?:[\w-]+-)?store\.ts$/,
    own: false,
    rule: "another folder's store is its own: ask its service",
  },
  {
    from: /\/(?:[\w-]+-)?routes\.ts$/,
    to: /^storage\/|\/(?:[\w-]+-)?store\.ts$/,
    own: true,
    rule: 'routes ask their service, never the storage',
  },
  {
    from: /\/(?:[\w-]+-)?store\.ts$/,
    to: /^(?!base\/|errors\/|storage\/)/,
    own: false,
    rule: 'a store knows only storage, base and errors',
  },
]
/** May import what others may not: the composition of stores, and the commands. */
const OPENS_ALL = /^(?:commands|move|backup|backend|statistics|clicks)\//

/** The path of an import, static or dynamic. */
const IMPORT = /(?:\bfrom |\bimport\()'(\.[^']+\.ts)'/g

interface Import {
  from: string
  to: string
}

const files = [...new Glob('**/*.ts').scanSync(join(ROOT, 'src'))]
  .filter((file) => !file.endsWith('.test.ts') && !file.includes('testing/'))
  .sort()
const imports = files.flatMap(importsOf)
const faults = imports.flatMap((each) => faultOf(each) ?? [])
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)

function faultOf({ from, to }: Import): string | undefined {
  const [own, other] = [layerOf(from), layerOf(to)]
  const where = `src/${from} imports src/${to}`
  const isOwn = folderOf(from) === folderOf(to)
  if (!isOwn && own.height < other.height) return `${where}: ${own.name} is below ${other.name}`
  if (!isOwn && own.height === other.height && own.name !== other.name) {
    return `${where}: ${own.name} and ${other.name} are of one layer`
  }
  if (OPENS_ALL.test(from)) return undefined
  const broken = RULES.find(
    (rule) => (rule.own || !isOwn) && rule.from.test(from) && rule.to.test(to),
  )
  return broken && `${where}: ${broken.rule}`
}

/** The layer of a file; a file without one is missing in this table. */
function layerOf(file: string): { name: string; height: number } {
  let found = { name: '', height: -1 }
  for (const [height, names] of LAYERS.entries()) {
    for (const name of names) {
      const isIn = file === name || file.startsWith(`${name}/`)
      if (isIn && name.length > found.name.length) found = { name, height }
    }
  }
  if (found.height < 0) throw new Error(`src/${file} has no layer: add it to scripts/layers.ts`)
  return found
}

function folderOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] as string) : file
}

/** The imports of a file, static and dynamic; assumes our formatting. */
function importsOf(from: string): Import[] {
  const text = readFileSync(join(ROOT, 'src', from), 'utf8')
  const found: Import[] = []
  for (const [, path] of text.matchAll(IMPORT)) {
    const to = normalize(join(dirname(from), path as string))
    if (!to.startsWith('..')) found.push({ from, to })
  }
  return found
}
