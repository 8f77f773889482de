// Everything: what must hold without a test, the tests beside the code, then each folder of test/.
// Ends with the line `N passed, N failed, N skipped`; a failed step counts as one failure.
// With names of folders (`npm test -- test/e2e`) only those are run.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { CODE, type Counts, line, ROOT, runStep, runTests, STEPS, sum } from './steps.ts'

/** The real process, faults and fuzzing take their time; a hanging one must still end. */
const TIMEOUT_MS = 120_000

const asked = process.argv.slice(2)
const counts: Counts[] = []
if (asked.length === 0) {
  for (const step of STEPS) {
    const ok = await runStep(step)
    counts.push({ passed: 0, failed: ok ? 0 : 1, skipped: 0 })
  }
}
for (const folder of asked.length > 0 ? asked : [...CODE, ...testFolders()]) {
  console.log(`\n── ${folder}`)
  counts.push(await runTests(folder, { stream: true, timeoutMs: TIMEOUT_MS }))
}

const total = sum(counts)
console.log(`\n${line(total)}`)
process.exit(total.failed === 0 ? 0 : 1)

/** The folders of test/ that hold tests. */
function testFolders(): string[] {
  const root = join(ROOT, 'test')
  return readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .filter((name) =>
      readdirSync(join(root, name), { recursive: true }).some((file) =>
        String(file).endsWith('.test.ts'),
      ),
    )
    .sort()
    .map((name) => `test/${name}`)
}
