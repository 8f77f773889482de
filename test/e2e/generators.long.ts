import { expect, test } from 'bun:test'
import { join } from 'node:path'

const SCRIPT = join(import.meta.dir, '../../scripts/check-generators.ts')

/** What npm and PyPI provide. */
const TOOLS = [
  ...['openapi-typescript', 'hey-api', 'orval', 'typescript-fetch', 'openapi-python-client'],
  ...['spectral', 'redocly'],
]

test('clients that generators make from the served document compile and make five calls', () => {
  const child = Bun.spawnSync([process.execPath, SCRIPT, ...TOOLS], { stdout: 'pipe' })
  const table = String(child.stdout)
  console.log(table)
  expect(child.exitCode).toBe(0)
  expect(table.match(/ \| yes \| yes \| 5$/gm)).toHaveLength(5)
}, 1_800_000)
