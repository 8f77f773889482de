import { availableParallelism } from 'node:os'
import { join } from 'node:path'

/** The repository. */
export const ROOT = join(import.meta.dir, '..')

/** So many things run at once: much of a test is waiting, for other processes or for time to pass. */
const WORKERS = availableParallelism() + 1
/** How long each file of tests took, in milliseconds. */
const TIMINGS = join(ROOT, 'test/timings.json')

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

/** Runs steps, a few beside each other; a failed one counts as one failure. */
export async function runSteps(steps: readonly Step[]): Promise<TestRun> {
  const waiting = [...steps]
  const failures: string[] = []
  const work = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      if (!(await runStep(step))) failures.push(step.name)
    }
  }
  await Promise.all(Array.from({ length: WORKERS }, work))
  return { passed: 0, failed: failures.length, skipped: 0, failures }
}

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

/** How tests went. */
export interface TestRun extends Counts {
  /** The names of those that failed. */
  failures: string[]
}

/** How {@link runTests} runs them. */
export interface TestOptions {
  /** Prints what the tests print, as it comes; else only when one fails. */
  stream: boolean
  /** Of one test that sets none itself. */
  timeoutMs: number
  /** What TEST_STORE is for them; absent: as it is for us. */
  store?: string
}

/** Runs the tests of files and folders with `bun test`, several files at once. */
export async function runTests(paths: readonly string[], options: TestOptions): Promise<TestRun> {
  const { stream, timeoutMs, store } = options
  const child = Bun.spawn(
    [
      ...[process.execPath, '--no-env-file', 'test', `--timeout=${timeoutMs}`],
      // The long ones first, or the last of them would run alone at the end.
      ...[`--parallel=${WORKERS}`, '--no-isolate', `--timings=${TIMINGS}`],
      ...(process.env.SAVE_TIMINGS ? ['--update-timings'] : []),
      ...paths.map((path) => `./${path}`),
    ],
    {
      cwd: ROOT,
      env: { ...process.env, ...(store !== undefined && { TEST_STORE: store }) },
      stdout: 'pipe',
      stderr: 'pipe',
      stdin: 'ignore',
    },
  )
  const [out, err, status] = await Promise.all([
    collect(child.stdout, stream),
    collect(child.stderr, stream),
    child.exited,
  ])
  const counts = countsOf(err)
  const failures = failuresOf(err)
  // A run that broke off says nothing of the tests that it didn't reach.
  if (status !== 0 && counts.failed === 0) {
    counts.failed = 1
    failures.push(`bun test ended with ${status}`)
  }
  if (counts.failed > 0 && !stream) console.log(withoutPassed(`${out}${err}`))
  return { ...counts, failures }
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

/** What failed, and in which file. */
function failuresOf(output: string): string[] {
  const failures = new Set<string>()
  let file = ''
  for (const text of output.split('\n')) {
    file = /^(\S+\.test\.tsx?):$/.exec(text)?.[1] ?? file
    const name = /^(?:\(fail\)|✗) (.*?)(?: \[[\d.]+ms\])?$/.exec(text)?.[1]
    if (name !== undefined) failures.add(name.includes('.test.ts') ? name : `${file}: ${name}`)
    // What follows repeats the failures, without their files.
    if (/^\d+ tests? failed:$/.test(text)) break
  }
  return [...failures]
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
