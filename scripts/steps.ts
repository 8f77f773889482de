import { availableParallelism } from 'node:os'
import { join } from 'node:path'

/** The repository. */
export const ROOT = join(import.meta.dir, '..')

/** The cores of this machine. */
export const CORES = availableParallelism()

/** A check without tests: a name, a command, and what to do if it fails. */
export interface Step {
  name: string
  command: string[]
  /** The command that fixes it, if there is one. */
  remedy?: string
}

/** Checks that run before the tests. */
export const STEPS: readonly Step[] = [
  {
    name: 'format, lint',
    command: [join(ROOT, 'node_modules/.bin/biome'), 'check', '.'],
    remedy: 'npm run format',
  },
  { name: 'layers', command: [process.execPath, join(ROOT, 'scripts/layers.ts')] },
  {
    name: 'code shared with the dashboard',
    command: [process.execPath, join(ROOT, 'scripts/shared-code.ts')],
  },
  { name: 'types', command: [join(ROOT, 'node_modules/.bin/tsc'), '--noEmit'] },
  {
    name: 'types of the dashboard',
    command: [join(ROOT, 'node_modules/.bin/tsc'), '--noEmit', '-p', join(ROOT, 'web')],
  },
  {
    name: 'types of the SDK',
    command: [join(ROOT, 'node_modules/.bin/tsc'), '--noEmit', '-p', join(ROOT, 'sdk/typescript')],
  },
  {
    name: 'openapi.json is current',
    command: [process.execPath, join(ROOT, 'scripts/openapi.ts'), '--check'],
    remedy: 'npm run openapi',
  },
  {
    name: 'the API breaks no client of the last release',
    command: [process.execPath, join(ROOT, 'scripts/breaking-changes.ts')],
    remedy: 'see docs/versioning.md',
  },
  {
    name: 'web/openapi.json is current',
    command: [process.execPath, join(ROOT, 'scripts/openapi.ts'), '--dashboard', '--check'],
    remedy: 'npm run openapi',
  },
  {
    name: 'types of the API clients are current',
    command: [process.execPath, join(ROOT, 'web/scripts/schema.ts'), '--check'],
    remedy: 'npm run openapi',
  },
]

/** Runs steps, some concurrently; a failed one counts as one failure. */
export async function runSteps(steps: readonly Step[]): Promise<TestRun> {
  const waiting = [...steps]
  const failures: Failure[] = []
  const work = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      if (!(await runStep(step))) failures.push({ name: step.name })
    }
  }
  await Promise.all(Array.from({ length: CORES + 1 }, work))
  return { passed: 0, failed: failures.length, skipped: 0, failures }
}

/** Runs a step and prints one line, or its whole output if it fails. */
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

/** Prints the summary of a step. */
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

/** The sum of counts. */
export function sum(all: readonly Counts[]): Counts {
  const total = { passed: 0, failed: 0, skipped: 0 }
  for (const { passed, failed, skipped } of all) {
    total.passed += passed
    total.failed += failed
    total.skipped += skipped
  }
  return total
}

/** The last line of a run. */
export function line({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed, ${skipped} skipped`
}

/** A failure. */
export interface Failure {
  /** The file, for tests. */
  file?: string
  name: string
  /** The last lines of output before it failed; a step has printed its own. */
  said?: string
}

/** The result of a test run. */
export interface TestRun extends Counts {
  failures: Failure[]
}
