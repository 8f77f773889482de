import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openEmbedded } from '../../platform/storage/index.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-users-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** `users create --json` with a password on standard input. */
async function create(password: string, ...more: string[]) {
  const main = join(import.meta.dir, '../main.ts')
  const args = ['users', 'create', '--email', 'ann@example.com', '--password-stdin', '--json']
  const child = Bun.spawn([process.execPath, '--no-env-file', main, ...args, ...more], {
    env: { SLUGLINE_DATA_DIR: dir },
    stdin: new Blob([password]),
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { status: await child.exited, out, err }
}

/** The stored hash of the only password. */
async function storedHash(): Promise<string> {
  const storage = await openEmbedded(dir)
  const rows = await storage.read.db.selectFrom('accounts').select('password_hash').execute()
  await storage.close()
  return rows[0]?.password_hash as string
}

test('--password-stdin reads the password without its newline, and doesn’t print it', async () => {
  const { status, out, err } = await create('correct horse battery\n')
  expect([status, err]).toEqual([0, ''])
  expect(JSON.parse(out)).toMatchObject({ email: 'ann@example.com' })
  expect(out).not.toContain('password')
  const hash = await storedHash()
  expect(await Bun.password.verify('correct horse battery', hash)).toBe(true)
})

test('--password-stdin refuses a short password, and --password with it', async () => {
  const short = await create('short\n')
  expect([short.status, JSON.parse(short.err).error.code]).toEqual([2, 'VALIDATION_FAILED'])
  const both = await create('correct horse battery', '--password', 'correct horse battery')
  expect([both.status, JSON.parse(both.err).error.code]).toEqual([2, 'USAGE'])
})
