// Everything: what must hold without a test, then the tests, on each store.
// Ends with the line `N passed, N failed, N skipped`; a failed step counts as one failure.
// With names of files or folders (`npm test -- test/e2e`) only those are run, on the store that
// TEST_STORE names (test/harness/store.ts). SAVE_TIMINGS=1 writes down how long each file took.
// `--long` runs only the tests that take long (`*.long.ts`), `--with-long` also runs them, at the end.

import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { allGroups, type Group } from './groups.ts'
import { runAgain, runTests } from './run-tests.ts'
import {
  CORES,
  type Failure,
  line,
  ROOT,
  runSteps,
  STEPS,
  type Step,
  sum,
  type TestRun,
} from './steps.ts'

/** Tests with real processes, faults and fuzzing take long, but a hanging one must end. */
const TIMEOUT_MS = 120_000
/** The same for tests that take long. */
const LONG_TIMEOUT_MS = 30 * 60_000

/** A recording of every write, which has failed on a machine that was busy. */
const ALONE: ReadonlySet<string> = new Set(['test/faults/power.long.ts'])

/** The program that tests start: the executable that people run, which starts twice as fast. */
const PROGRAM = join(ROOT, 'node_modules/.cache/slugline')
const PACKAGE: Step = {
  name: 'one executable of everything',
  command: [process.execPath, join(ROOT, 'scripts/package.ts'), PROGRAM],
}

/** A file system in memory, on Linux. */
const MEMORY = '/dev/shm'
/** All tests together have up to a third of that there at once. */
const MEMORY_BYTES = 6 * 2 ** 30

const args = process.argv.slice(2)
const asked = args.filter((arg) => !arg.startsWith('--'))
const isLong = args.includes('--long')
useTemporary()
const runs: TestRun[] = []
if (isLong) {
  runs.push(...(await runLong()))
} else if (asked.length > 0) {
  runs.push(await runTests(asked, { stream: true, timeoutMs: TIMEOUT_MS }))
} else {
  runs.push(await runSteps([PACKAGE, ...STEPS]))
  if (existsSync(PROGRAM)) process.env.TEST_PROGRAM = PROGRAM
  runs.push(...(await runBeside(allGroups())))
  if (args.includes('--with-long')) runs.push(...(await runLong()))
}

for (const { failures } of runs) for (const failure of failures) tell(failure)
const total = sum(runs)
console.log(`\n${line(total)}`)
process.exit(total.failed === 0 ? 0 : 1)

/**
 * Gives tests a directory that goes with this process: in memory if there is enough of it, because on
 * a disk tests mostly wait for it to write what they delete soon.
 */
function useTemporary(): void {
  const directory = mkdtempSync(join(hasMemory() ? MEMORY : tmpdir(), 'slugline-'))
  // PostgreSQL runs as a user of its own.
  chmodSync(directory, 0o1777)
  process.env.TMPDIR = directory
  process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))
}

function hasMemory(): boolean {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return Math.min(bavail * bsize, freemem()) >= MEMORY_BYTES
}

/** Runs the tests that take long, one per core, because some measure. */
async function runLong(): Promise<TestRun[]> {
  const paths = [...new Bun.Glob('test/**/*.long.ts').scanSync(ROOT)]
  const options = { stream: true, timeoutMs: LONG_TIMEOUT_MS, workers: CORES }
  const beside = paths.filter((path) => !ALONE.has(path))
  return [await runTests(beside, options), await runTests([...ALONE], options)]
}

/** Runs groups concurrently, and at the end retries what failed in them. */
async function runBeside(groups: readonly Group[]): Promise<TestRun[]> {
  const first = await Promise.all(groups.map((group, i) => runGroup(group, i === 0)))
  const all: TestRun[] = []
  for (const [i, { name, store }] of groups.entries()) {
    const options = { stream: true, timeoutMs: TIMEOUT_MS, store }
    const run = await runAgain(first[i] as TestRun, options)
    const failures = run.failures.map((each) => ({ ...each, name: `${each.name} (${name})` }))
    all.push({ ...run, failures })
  }
  return all
}

/** The output of all but the first group is printed together at its end. */
async function runGroup({ name, store, paths, workers, missing }: Group, isFirst: boolean) {
  const heading = `── ${name}`
  if (isFirst) console.log(`\n${heading}`)
  if (missing !== undefined) {
    console.log(`${heading}: skipped: ${missing}`)
    return { passed: 0, failed: 0, skipped: 1, failures: [] }
  }
  const start = performance.now()
  const heldBelow = isFirst ? undefined : heading
  const options = { stream: isFirst, heldBelow, timeoutMs: TIMEOUT_MS, store, workers }
  const run = await runTests(paths, options)
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  console.log(`${heading}: ${line(run)} (${seconds} s)`)
  return run
}

/** Prints a failure with its output: the end of a log may be all that someone sees. */
function tell({ file, name, said }: Failure): void {
  console.log(`\nFAILED  ${file === undefined ? '' : `${file}: `}${name}`)
  if (said !== undefined) console.log(said.trim().replace(/^/gm, '  '))
}
