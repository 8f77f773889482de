import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The repository. */
export const ROOT = join(import.meta.dir, '..')

/** A check that takes no tests: a name, a command, and what to do when it fails. */
export interface Step {
  name: string
  command: string[]
  /** The command that puts it right, if one does. */
  remedy?: string
}

/** What must hold before any test is run. */
export const STEPS: readonly Step[] = [
  {
    name: 'format, lint, import rules',
    command: [join(ROOT, 'node_modules/.bin/biome'), 'check', '.'],
    remedy: 'npm run format',
  },
  { name: 'types', command: [join(ROOT, 'node_modules/.bin/tsc'), '--noEmit'] },
  {
    name: 'types of the dashboard',
    command: [join(ROOT, 'node_modules/.bin/tsc'), '--noEmit', '-p', join(ROOT, 'web')],
  },
  {
    name: 'openapi.json is current',
    command: [process.execPath, join(ROOT, 'scripts/openapi.ts'), '--check'],
    remedy: 'npm run openapi',
  },
  {
    name: 'web/openapi.json is current',
    command: [process.execPath, join(ROOT, 'scripts/openapi.ts'), '--dashboard', '--check'],
    remedy: 'npm run openapi',
  },
  {
    name: "types of the dashboard's client are current",
    command: [process.execPath, join(ROOT, 'web/scripts/schema.ts'), '--check'],
    remedy: 'npm run openapi',
  },
]

/** Where tests stand beside the code. */
export const CODE = ['src', 'web/src']

/** Runs a step and prints one line, or all that it says when it fails. */
export async function runStep({ name, command, remedy }: Step): Promise<boolean> {
  const start = performance.now()
  const child = Bun.spawn(command, { cwd: ROOT, stdout: 'pipe', stderr: 'pipe', stdin: 'ignore' })
  const [out, err, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  const ok = status === 0
  printStep(name, ok, start)
  if (!ok) {
    console.log(`${out}${err}`.trimEnd())
    if (remedy !== undefined) console.log(`To put it right: ${remedy}`)
  }
  return ok
}

/** The line that sums a step up. */
export function printStep(name: string, ok: boolean, start: number): void {
  const seconds = ((performance.now() - start) / 1000).toFixed(1)
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${name} (${seconds} s)`)
}

/** How many tests passed, failed and were skipped. */
export interface Counts {
  passed: number
  failed: number
  skipped: number
}

/** All of several counts. */
export function sum(all: readonly Counts[]): Counts {
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const { passed, failed, skipped } of all) {
    total.passed += passed
    total.failed += failed
    total.skipped += skipped
  }
  return total
}

/** As the last line of a run says it. */
export function line({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}

/** How {@link runTests} runs them. */
export interface TestOptions {
  /** Prints what the tests print, as it comes; else only when one fails. */
  stream: boolean
  /** Of one test that sets none itself. */
  timeoutMs: number
}

/** Runs the tests below a folder with `bun test`. */
export async function runTests(folder: string, options: TestOptions): Promise<Counts> {
  if (!existsSync(join(ROOT, folder))) return { passed: 0, failed: 0, skipped: 0 }
  const child = Bun.spawn(
    [process.execPath, '--no-env-file', 'test', `--timeout=${options.timeoutMs}`, `./${folder}`],
    { cwd: ROOT, stdout: 'pipe', stderr: 'pipe', stdin: 'ignore' },
  )
  const [out, err, status] = await Promise.all([
    collect(child.stdout, options.stream),
    collect(child.stderr, options.stream),
    child.exited,
  ])
  const counts = countsOf(err)
  // A run that broke off says nothing of the tests that it didn't reach.
  if (status !== 0 && counts.failed === 0) counts.failed = 1
  if (counts.failed > 0 && !options.stream) console.log(withoutPassed(`${out}${err}`))
  return counts
}

function withoutPassed(output: string): string {
  const lines = output.split('\n').filter((text) => !text.startsWith('(pass)'))
  return (
    lines
      .join('\n')
      // The names of files in which nothing failed.
      .replace(/^\S+\.test\.ts:\n\n(?=\S+\.test\.ts:\n|\d+ tests? failed)/gm, '')
      .replace(/\n{3,}/g, '\n\n')
      .trimEnd()
  )
}

async function collect(stream: ReadableStream<Uint8Array>, print: boolean): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true })
    if (print) process.stdout.write(chunk)
  }
  return text
}

/** The counts of the summary that `bun test` ends with. */
export function countsOf(output: string): Counts {
  const summary = output.slice(output.lastIndexOf('\n\n') + 1)
  const count = (word: string) => {
    const found = new RegExp(`^\\s*(\\d+) ${word}$`, 'm').exec(summary)
    return Number(found?.[1] ?? 0)
  }
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip') + count('todo') }
}
