/**
 * The rooms of `src/`: a file imports from its own room and from lower ones, never from a higher one.
 * Exits with 1 and names the file, the import and the rule if that is violated. Type-only files
 * follow the same order, though they have no runtime cost.
 */
import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { Glob } from 'bun'
import { ROOT } from './steps.ts'

/** From the lowest to the highest. */
const ROOMS = [
  'lib',
  'platform',
  'model',
  'clicks',
  'redirect',
  'http',
  'features',
  'statistics',
  'server',
  'maintenance',
  'cli',
]

/** The same inside rooms whose folders are parts of their own; those in one row don't import each other. */
const FOLDERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  lib: [['base'], ['i18n'], ['errors'], ['validation']],
  platform: [['storage'], ['config', 'limits', 'mail', 'outgoing'], ['cluster']],
  features: [
    ['plans', 'audit'],
    ['users', 'docs', 'jobs'],
    ['workspaces'],
    ['keys'],
    ['tags', 'folders'],
    ['links', 'members', 'usage'],
    ['blocks', 'domains', 'imports'],
    ['accounts', 'events', 'explain', 'mcp', 'page-details', 'qr', 'utm', 'views'],
    ['webhooks'],
  ],
}

/** Imports from other folders that are forbidden by kind of file. Paths are below `src/`. */
const RULES: readonly { from: RegExp; to: RegExp; own: boolean; rule: string }[] = [
  {
    from: /./,
    to: /^platform\/storage\/(?!index\.ts$)/,
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
    to: /^platform\/storage\/|\/(?:[\w-]+-)?store\.ts$/,
    own: true,
    rule: 'routes ask their service, never the storage',
  },
  {
    from: /\/(?:[\w-]+-)?store\.ts$/,
    to: /^(?!lib\/(?:base|errors)\/|platform\/storage\/)/,
    own: false,
    rule: 'a store knows only storage, base and errors',
  },
]
/** May import what others may not: the composition of stores, and the commands. */
const OPENS_ALL = /^(?:cli|maintenance|server\/backend|statistics\/(?!shares\/)|clicks)\b/

/** The path of an import, static or dynamic. */
const IMPORT = /(?:\bfrom |\bimport\()'(\.[^']+\.ts)'/g

interface Import {
  from: string
  to: string
}

const files = [...new Glob('**/*.ts').scanSync(join(ROOT, 'src'))]
  .filter((file) => !file.endsWith('.test.ts') && !file.includes('testing/'))
  .sort()
const faults = [
  ...files.flatMap((file) => homeless(file) ?? []),
  ...files.flatMap(importsOf).flatMap((each) => faultOf(each) ?? []),
]
for (const fault of faults) console.error(fault)
if (faults.length > 0) process.exit(1)

/** A file that belongs to no room, or to none of its room's folders. */
function homeless(file: string): string | undefined {
  const [room = '', folder = ''] = file.split('/')
  const folders = FOLDERS[room]?.flat()
  if (ROOMS.includes(room) && (folders === undefined || folders.includes(folder))) return undefined
  return `src/${file} is in no room: see scripts/layers.ts`
}

function faultOf({ from, to }: Import): string | undefined {
  const where = `src/${from} imports src/${to}`
  const wrong = orderFault(from.split('/'), to.split('/'))
  if (wrong !== undefined) return `${where}: ${wrong}`
  if (OPENS_ALL.test(from)) return undefined
  const isOwn = folderOf(from) === folderOf(to)
  const broken = RULES.find(
    (rule) => (rule.own || !isOwn) && rule.from.test(from) && rule.to.test(to),
  )
  return broken && `${where}: ${broken.rule}`
}

/** What is wrong with an import between two paths, by the order of rooms and of their folders. */
function orderFault(
  [room = '', folder = '']: readonly string[],
  [otherRoom = '', otherFolder = '']: readonly string[],
): string | undefined {
  if (room !== otherRoom) {
    const isBelow = ROOMS.indexOf(room) < ROOMS.indexOf(otherRoom)
    return isBelow ? `${room} is below ${otherRoom}` : undefined
  }
  const rows = FOLDERS[room]
  if (rows === undefined || folder === otherFolder) return undefined
  const [row, otherRow] = [folder, otherFolder].map((name) =>
    rows.findIndex((names) => names.includes(name)),
  ) as [number, number]
  if (row === otherRow) return `${folder} and ${otherFolder} are in one row`
  return row < otherRow ? `${folder} is below ${otherFolder}` : undefined
}

/** The folder of a file: that of its room, or the room itself. */
function folderOf(file: string): string {
  return dirname(file).split('/').slice(0, 2).join('/')
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
