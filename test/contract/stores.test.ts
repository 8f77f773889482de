/**
 * The tests of the stores and of what stands on them, beside the code, run once more on PostgreSQL:
 * one source, two databases, the same results.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { postgresMissing, startPostgres, type TestPostgres } from '../harness/postgres.ts'

const ROOT = join(import.meta.dir, '../..')

const SUITES: Record<string, string[]> = {
  links: ['src/links'],
  keys: ['src/keys'],
  'workspaces, users, members, domains, plans': [
    'src/workspaces',
    'src/users',
    'src/members',
    'src/domains',
    'src/plans',
    'src/usage',
  ],
  audit: ['src/audit'],
  accounts: ['src/accounts'],
  'the pipeline and idempotency': ['src/http'],
  'questions about clicks': [
    'src/statistics/clicks.test.ts',
    'src/statistics/live.test.ts',
    'src/statistics/report.test.ts',
  ],
  'the whole API': ['src/app.test.ts'],
}

let server: TestPostgres

beforeAll(async () => {
  if (postgresMissing !== undefined) return
  server = await startPostgres()
  await server.createDatabase()
}, 60_000)

afterAll(() => server?.dispose())

const name = postgresMissing === undefined ? '' : ` (${postgresMissing})`
for (const [suite, paths] of Object.entries(SUITES)) {
  test.skipIf(postgresMissing !== undefined)(
    `on PostgreSQL: ${suite}${name}`,
    async () => {
      const child = Bun.spawn([process.execPath, 'test', '--timeout', '60000', ...paths], {
        cwd: ROOT,
        env: { ...process.env, TEST_POSTGRES: server.url('') },
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [output, status] = await Promise.all([new Response(child.stderr).text(), child.exited])
      const failures = output.split('\n').filter((line) => line.startsWith('(fail)'))
      expect(failures).toEqual([])
      expect(output).toMatch(/\n\s*0 fail\n/)
      expect(status).toBe(0)
    },
    240_000,
  )
}
