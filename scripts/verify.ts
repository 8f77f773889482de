// The fast check before every commit: a line for each step, and the tests that stand beside the
// code. `npm test` is this and everything in test/, on all stores. Both end with the line
// `N passed, N failed, N skipped`; a failed step counts as one failure.
import { CODE } from './groups.ts'
import { runTests } from './run-tests.ts'
import { line, printStep, runSteps, STEPS, sum } from './steps.ts'

const steps = await runSteps(STEPS)
const start = performance.now()
const tests = await runTests(CODE, { stream: false, timeoutMs: 120_000 })
printStep('unit tests', tests.failed === 0, start)

const total = sum([steps, tests])
console.log(`\n${line(total)}`)
process.exit(total.failed === 0 ? 0 : 1)
