import { join } from 'node:path'
import { CORES, type Counts, type Failure, ROOT, type TestRun } from './steps.ts'

/** The duration of each test file, in milliseconds. */
const TIMINGS = join(ROOT, 'test/timings.json')
/** If more files fail than this, a busy machine isn't the reason. */
const AGAIN_AT_MOST = 3
/** How many lines of output before a failure are repeated at the end. */
const SAID_LINES = 40

/** How {@link runTests} runs them. */
export interface TestOptions {
  /** Prints the output of tests as it comes; otherwise only when one fails. */
  stream: boolean
  /** Prints it at the end, below this line: for groups that run beside others. */
  heldBelow?: string | undefined
  /** The timeout of a test that sets none itself. */
  timeoutMs: number
  /** The value of TEST_STORE; absent: the current one. */
  store?: string | undefined
  /** Concurrent files; by default two per core: a test waits as long as it computes. */
  workers?: number
}

/** Runs the tests of files and folders with `bun test`, several files at once. */
export async function runTests(
  paths: readonly string[],
  { stream, heldBelow, timeoutMs, store, workers = 2 * CORES }: TestOptions,
): Promise<TestRun> {
  const child = Bun.spawn(
    [
      ...[process.execPath, '--no-env-file', 'test', `--timeout=${timeoutMs}`],
      // Long ones first, because the last of them would otherwise run alone at the end.
      ...[`--parallel=${workers}`, '--no-isolate', `--timings=${TIMINGS}`],
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
  if (heldBelow !== undefined) console.log(`\n${heldBelow}\n${`${out}${err}`.trimEnd()}`)
  const counts = countsOf(err)
  const failures = failuresOf(err)
  // A run that crashed doesn't report the tests that it didn't reach.
  if (status !== 0 && counts.failed === 0) {
    counts.failed = 1
    failures.push({ name: `bun test ended with ${status}` })
  }
  if (counts.failed > 0 && !stream && heldBelow === undefined)
    console.log(withoutPassed(`${out}${err}`))
  return { ...counts, failures }
}

/**
 * Runs failed files once more, one at a time: many tests start processes, and may fail because the
 * machine is too busy. Only repeated failures count; the others are reported.
 */
export async function runAgain(run: TestRun, options: TestOptions): Promise<TestRun> {
  const files = new Set(run.failures.map(({ file }) => file))
  if (files.size === 0 || files.size > AGAIN_AT_MOST) return run
  const failures: Failure[] = []
  let failed = 0
  for (const file of files) {
    if (file === undefined) return run
    console.log(`\n── once more, alone: ${file}`)
    const alone = await runTests([file], options)
    failed += alone.failed
    failures.push(...alone.failures)
    if (alone.failed > 0) continue
    for (const { name } of run.failures.filter((failure) => failure.file === file)) {
      console.log(`UNSTABLE  ${file}: ${name}: failed beside others, not alone`)
    }
  }
  return { ...run, passed: run.passed + run.failed - failed, failed, failures }
}

function withoutPassed(output: string): string {
  const lines = output.split('\n').filter((text) => !text.startsWith('(pass)'))
  return (
    lines
      .join('\n')
      // The names of files without failures.
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

/** The failures by file, with the output before them. */
function failuresOf(output: string): Failure[] {
  const failures: Failure[] = []
  let file: string | undefined
  let said: string[] = []
  for (const text of output.split('\n')) {
    // What follows repeats the failures, without their files.
    if (/^\d+ tests? failed:$/.test(text)) break
    const opened = /^(\S+\.test\.tsx?):$/.exec(text)?.[1]
    const name = /^(?:\(fail\)|✗) (.*?)(?: \[[\d.]+ms\])?$/.exec(text)?.[1]
    if (name !== undefined) {
      // A file that crashed as a whole is reported by name.
      const where = /\S+\.test\.tsx?/.exec(name)?.[0] ?? file
      failures.push({
        ...(where && { file: where }),
        name,
        said: said.slice(-SAID_LINES).join('\n'),
      })
    }
    const last = failures.at(-1)
    if (text.startsWith('  ^ ') && last !== undefined) {
      last.said += `\n${text}`
      continue
    }
    file = opened ?? file
    said = opened !== undefined || /^\((?:pass|fail|skip)\)/.test(text) ? [] : [...said, text]
  }
  return failures
}

/** The counts of the summary of `bun test`. */
function countsOf(output: string): Counts {
  const summary = output.slice(output.lastIndexOf('\n\n') + 1)
  const count = (word: string) => {
    const found = new RegExp(`^\\s*(\\d+) ${word}$`, 'm').exec(summary)
    return Number(found?.[1] ?? 0)
  }
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip') + count('todo') }
}
