/**
 * The files of `src/` that the dashboard is built with (`@src/…` in `web/`) run in browsers: neither
 * they nor what they import may need the server. Exits with 1 and names the way to what may not be.
 */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Glob } from 'bun'
import packageFile from '../web/package.json' with { type: 'json' }
import { ROOT } from './steps.ts'

/** Rooms whose code needs a process, a database or a request. */
const OF_SERVER = /^src\/(?:platform|http|server|maintenance|cli)\//
/** Globals that browsers lack. */
const GLOBALS =
  /\b(?:Bun|Buffer|process|require|__dirname)\b\s*[.(]|\bimport\.meta\.(?:dir|path|file)/
/** An import or export of values; those of types leave no trace in the program. */
const IMPORT =
  /\b(?:import|export)\s+(?!type\b)(?:[\w*{][^'"]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/g
const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm

const faults: string[] = []
const ways = new Map<string, string>()
const waiting: string[] = []
for (const file of new Glob('**/*.{ts,tsx}').scanSync(join(ROOT, 'web/src'))) {
  if (/\.test\.tsx?$/.test(file)) continue
  for (const path of importsOf(`web/src/${file}`)) {
    if (path.startsWith('@src/')) reach(`src/${path.slice('@src/'.length)}`, `web/src/${file}`)
    else if (/(?:^|\/)\.\.\/src\//.test(path)) faults.push(`web/src/${file}: use @src/ for ${path}`)
  }
}
for (let file = waiting.shift(); file !== undefined; file = waiting.shift()) check(file)
for (const fault of faults) console.error(fault)
if (ways.size === 0) console.error('No file of web/src imports @src/: this check sees nothing')
if (faults.length > 0 || ways.size === 0) process.exit(1)

function reach(file: string, by: string): void {
  if (ways.has(file)) return
  ways.set(file, by)
  waiting.push(file)
}

function check(file: string): void {
  if (OF_SERVER.test(file)) {
    faults.push(`${wayTo(file)}: is code of the server`)
    return
  }
  const [name] = GLOBALS.exec(textOf(file)) ?? []
  if (name !== undefined) faults.push(`${wayTo(file)}: uses ${name}`)
  for (const path of importsOf(file)) {
    if (path.startsWith('.')) reach(relative(ROOT, join(ROOT, file, '..', path)), file)
    else if (!isInstalled(path)) faults.push(`${wayTo(file)}: imports ${path}`)
  }
}

/** Whether a package is one of the dashboard's own. */
function isInstalled(path: string): boolean {
  const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/')
  return name in packageFile.dependencies
}

function importsOf(file: string): string[] {
  return [...textOf(file).matchAll(IMPORT)].map(([, path, loaded]) => (path ?? loaded) as string)
}

function textOf(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8').replaceAll(COMMENT, '')
}

/** How the dashboard comes to a file. */
function wayTo(file: string): string {
  const by = ways.get(file)
  return by === undefined ? file : `${wayTo(by)} → ${file}`
}
