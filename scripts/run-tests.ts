import { join } from 'node:path'
import { CORES, type Counts, type Failure, ROOT, type TestRun } from './steps.ts'

/** How long each file of tests took, in milliseconds. */
const TIMINGS = join(ROOT, 'test/timings.json')
/** Where more files fail than these, it isn't that the machine was busy. */
const AGAIN_AT_MOST = 3
/** So much of what was printed before a failure is repeated at the end. */
const SAID_LINES = 40

/** How {@link runTests} runs them. */
export interface TestOptions {
  /** Prints what the tests print, as it comes; else only when one fails. */
  stream: boolean
  /** Prints it when all is over, below this line: for what runs beside others. */
  heldBelow?: string | undefined
  /** Of one test that sets none itself. */
  timeoutMs: number
  /** What TEST_STORE is for them; absent: as it is for us. */
  store?: string | undefined
  /** So many files at once; by default two for each core: a test waits as long as it computes. */
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
      // The long ones first, or the last of them would run alone at the end.
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
  // A run that broke off says nothing of the tests that it didn't reach.
  if (status !== 0 && counts.failed === 0) {
    counts.failed = 1
    failures.push({ name: `bun test ended with ${status}` })
  }
  if (counts.failed > 0 && !stream && heldBelow === undefined)
    console.log(withoutPassed(`${out}${err}`))
  return { ...counts, failures }
}

/**
 * Runs the files in which tests failed once more, each alone: many of our tests are of processes, and
 * a machine that is too busy for them isn't their fault. What fails again has failed; the rest is told.
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

/** What failed, in which file, and what was printed before. */
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
      // A file that broke off as a whole is told by its name.
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

/** The counts of the summary that `bun test` ends with. */
function countsOf(output: string): Counts {
  const summary = output.slice(output.lastIndexOf('\n\n') + 1)
  const count = (word: string) => {
    const found = new RegExp(`^\\s*(\\d+) ${word}$`, 'm').exec(summary)
    return Number(found?.[1] ?? 0)
  }
  return { passed: count('pass'), failed: count('fail'), skipped: count('skip') + count('todo') }
}
