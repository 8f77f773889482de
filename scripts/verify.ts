// The fast check before every commit: a line for each step, and the tests that stand beside the
// code. `npm test` is this and everything in test/. Both end with the line `N passed, N failed,
// N skipped`; a failed step counts as one failure.
import { CODE, line, printStep, runStep, runTests, STEPS, sum } from './steps.ts'

let failedSteps = 0
for (const step of STEPS) if (!(await runStep(step))) failedSteps++

const start = performance.now()
const counts = { passed: 0, failed: 0, skipped: 0 }
for (const folder of CODE) {
  const part = await runTests(folder, { stream: false, timeoutMs: 120_000 })
  Object.assign(counts, sum([counts, part]))
}
printStep('unit tests', counts.failed === 0, start)

const total = sum([counts, { passed: 0, failed: failedSteps, skipped: 0 }])
console.log(`\n${line(total)}`)
process.exit(total.failed === 0 ? 0 : 1)
