// The fast check before every commit: a line for each step, and the tests that stand beside the
// code. `npm test` is this and everything in test/.
import { line, printStep, runStep, runTests, STEPS } from './steps.ts'

let ok = true
for (const step of STEPS) ok = (await runStep(step)) && ok

const start = performance.now()
const counts = await runTests('src', { stream: false, timeoutMs: 20_000 })
printStep('unit tests', counts.failed === 0, start, `: ${line(counts)}`)

process.exit(ok && counts.failed === 0 ? 0 : 1)
