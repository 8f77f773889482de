/**
 * Whether tests notice faults: changes one place of a source file at a time, in a copy, and runs the tests of
 * its folder. A change that no test notices survives. Prints each survivor, and the score of each folder.
 * Usage: bin/bun bench/mutation.ts [--each 20] [--seed 1] [--folders redirect,http] [--seconds 120]
 *   --each: changes per folder; --seconds: tests that take longer count as failed
 */
import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { seeded } from '../test/harness/random.ts'
import { machine } from './lib/machine.ts'
import { temporaryDirectory } from './lib/temporary.ts'

const FOLDERS = [
  'redirect',
  'platform/limits',
  'features/links',
  'features/keys',
  'http',
  'statistics/shares',
]

const { values } = parseArgs({
  options: {
    each: { type: 'string', default: '20' },
    seed: { type: 'string', default: '1' },
    folders: { type: 'string', default: FOLDERS.join() },
    seconds: { type: 'string', default: '120' },
  },
})

/** What is changed, and into what. */
const CHANGES: readonly [RegExp, string][] = [
  [/ === /g, ' !== '],
  [/ !== /g, ' === '],
  [/ < (?!\/)/g, ' <= '],
  [/ > /g, ' >= '],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ && /g, ' || '],
  [/ \|\| /g, ' && '],
  [/ \+ (?=[\w(])/g, ' - '],
  [/ - (?=[\w(])/g, ' + '],
  [/\btrue\b/g, 'false'],
  [/\bfalse\b/g, 'true'],
  [/(?<=if \()!/g, ''],
  [/(?<=if \()(?=[\w(])/g, '!'],
  // A statement of its own on one line.
  [/^ +(?:await )?[\w.#]+\([^{]*\)$/g, ''],
  [/^ +if \([^{]*\) (?:throw|return|continue|break)\b[^{]*$/g, ''],
]

interface Mutation {
  file: string
  line: number
  before: string
  after: string
}

const ROOT = resolve(import.meta.dir, '..')
const random = seeded(Number(values.seed))
const copy = temporaryDirectory()
for (const name of readdirSync(ROOT)) {
  if (name === 'src') cpSync(join(ROOT, name), join(copy, name), { recursive: true })
  else if (name !== '.git' && name !== 'data') symlinkSync(join(ROOT, name), join(copy, name))
}

console.log(machine())
const scores: Record<string, object> = {}
for (const folder of values.folders.split(',')) {
  const tests = `./src/${folder}`
  if (await fails(tests)) throw new Error(`${tests} fails without any change`)
  const all = mutationsOf(join(copy, 'src', folder))
  let [made, survived] = [0, 0]
  for (; made < Number(values.each) && all.length > 0; made++) {
    const [mutation] = all.splice(Math.floor(random() * all.length), 1) as [Mutation]
    const { file, line, before, after } = mutation
    const text = readFileSync(file, 'utf8')
    const lines = text.split('\n')
    lines[line] = after
    writeFileSync(file, lines.join('\n'))
    const isNoticed = await fails(tests)
    writeFileSync(file, text)
    if (isNoticed) continue
    survived++
    console.log(`${relative(copy, file)}:${line + 1}\n  - ${before.trim()}\n  + ${after.trim()}`)
  }
  scores[folder] = { changes: made, survived, 'score, %': Math.round(100 * (1 - survived / made)) }
  console.log(folder, JSON.stringify(scores[folder]))
}
console.table(scores)
process.exit(0)

/** Every change of the files of a folder. */
function mutationsOf(folder: string): Mutation[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !/\.test\.ts$|(?:^|\/)testing\//.test(name))
    .flatMap((name) => {
      const file = join(folder, name)
      return readFileSync(file, 'utf8')
        .split('\n')
        .flatMap((before, line) =>
          changesOf(before).map((after) => ({ file, line, before, after })),
        )
    })
}

function changesOf(line: string): string[] {
  if (/^\s*(?:\/?\*|\/\/|import\b|export (?:type|interface)\b)/.test(line)) return []
  return CHANGES.flatMap(([pattern, change]) =>
    [...line.matchAll(pattern)]
      .filter(({ index }) => !isQuoted(line, index))
      .map(
        ({ 0: found, index }) => line.slice(0, index) + change + line.slice(index + found.length),
      ),
  )
}

/** Whether a place of a line is within a text or a comment, as far as the line tells. */
function isQuoted(line: string, at: number): boolean {
  const before = line.slice(0, at)
  return /\/\/ /.test(before) || ["'", '`'].some((quote) => before.split(quote).length % 2 === 0)
}

/** Whether the tests of a folder fail, or don't end in time. */
async function fails(tests: string): Promise<boolean> {
  const run = Bun.spawn([process.execPath, 'test', '--timeout', '20000', '--bail', tests], {
    cwd: copy,
    stdio: ['ignore', 'ignore', 'ignore'],
  })
  const timer = setTimeout(() => run.kill('SIGKILL'), Number(values.seconds) * 1_000)
  const status = await run.exited
  clearTimeout(timer)
  return status !== 0
}
