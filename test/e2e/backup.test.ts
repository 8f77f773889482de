import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { writeState } from '../../src/server/operations/backup-state.ts'
import { eventually } from '../harness/eventually.ts'
import { BASE_ENV, runCommand, type Slugline, startSlugline } from '../harness/process.ts'
import { type S3Server, startS3 } from '../harness/s3.ts'

let s3: S3Server
let slugline: Slugline
let folder: string
let key: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slugline-backup-e2e-'))
  s3 = await startS3()
  slugline = await startSlugline({
    ...s3.env,
    BACKUP_TO: `s3://${s3.bucket}/of/test`,
    BACKUP_SCHEDULE: '@daily',
    BACKUP_KEEP: '1',
  })
  key = (await slugline.createKey()).key
  const body = { destination_url: 'https://example.com/', slug: 'kept' }
  await slugline.call('POST', '/api/v1/links', { key, body })
  for (let n = 0; n < 5; n++) await fetch(`${slugline.url}/kept`, { redirect: 'manual' })
  // The last one was made yesterday: the next one is due.
  await slugline.stop()
  writeState(slugline.dataDir, { at: Date.now() - 86_400_000, durationMs: 1, bytes: 1 })
  await slugline.restart()
})
afterAll(async () => {
  await slugline?.dispose()
  await s3?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function json(...args: string[]) {
  const { status, stdout, stderr } = await slugline.cli(...args, '--json')
  if (status !== 0) throw new Error(stderr)
  return JSON.parse(stdout)
}

/** The instance's audit log, newest first: `actor action label`. */
async function instanceEntries(dataDir = slugline.dataDir): Promise<string[]> {
  const { stdout } = await runIn(dataDir, ['audit'])
  const { data } = JSON.parse(stdout) as {
    data: { actor: { type: string }; action: string; target: { type: string; label: string } }[]
  }
  const ours = data.filter(({ target }) => target.type === 'instance')
  return ours.map(({ actor, action, target }) => `${actor.type} ${action} ${target.label}`)
}

const runIn = (dataDir: string, args: string[], env: Record<string, string> = s3.env) =>
  runCommand([...args, '--json'], { ...BASE_ENV, ...env, SLUGLINE_DATA_DIR: dataDir })

test('the schedule makes a backup in S3, which another machine verifies, restores and serves', async () => {
  const { data } = await eventually(
    'a backup is made',
    async () => {
      const found = await json('backup', 'list')
      return found.data.length > 0 ? found : undefined
    },
    120_000,
  )
  const place = data[0].backup as string
  expect(place).toMatch(/^s3:\/\/backups\/of\/test\/slugline-\d{8}T\d{6}Z$/)
  expect(s3.keys()).toContain(`${place.slice('s3://backups/'.length)}/manifest.json`)
  expect(existsSync(join(slugline.dataDir, 'backing-up'))).toBe(false)
  const metrics = await (await fetch(`${slugline.url}/metrics`)).text()
  expect(metrics).toMatch(/^slugline_backup_age_seconds \d/m)
  expect(metrics).toMatch(/^slugline_backup_overdue 0$/m)
  expect(await json('backup', 'verify', place)).toMatchObject({ links: 1 })
  const made = `system instance.backed_up ${place}`
  await eventually('the backup is in the audit log', async () =>
    (await instanceEntries()).includes(made) ? true : undefined,
  )

  const dataDir = join(folder, 'restored')
  expect((await runIn(dataDir, ['restore', place])).status).toBe(0)
  expect(await instanceEntries(dataDir)).toEqual([`command instance.restored ${place}`])
  const restored = await startSlugline({}, { dataDir })
  try {
    await eventually('the clicks are counted', async () => {
      const list = await restored.call('GET', '/api/v1/links', { key })
      const [link] = ((await list.json()) as { data: { clicks: { total: number } }[] }).data
      return link?.clicks.total === 5 ? true : undefined
    })
  } finally {
    await restored.dispose()
  }
  // Incomplete backups are refused.
  const { stderr } = await runIn(join(folder, 'x'), ['restore', `${place}-half`])
  expect(JSON.parse(stderr).error.code).toBe('NOT_A_BACKUP')
}, 180_000)

test('the newest backups in S3 are kept', async () => {
  const { data: before } = await json('backup', 'list')
  const { backup, removed } = await json('backup')
  expect(before).toEqual([{ name: removed[0], backup: expect.stringContaining(removed[0]) }])
  const { data } = await json('backup', 'list')
  expect(data).toEqual([{ name: expect.any(String), backup }])
  expect(s3.keys().filter((name) => name.includes(removed[0]))).toEqual([])
  expect(await json('backup', 'verify', backup)).toMatchObject({ links: 1 })
})

test('a named place in S3 can be used once; keys and endpoint are checked', async () => {
  const place = `s3://${s3.bucket}/by-hand`
  expect(await json('backup', place)).toMatchObject({ backup: place })
  expect(s3.keys().filter((name) => name.startsWith('by-hand/')).length).toBeGreaterThan(3)
  const again = await slugline.cli('backup', place, '--json')
  expect(JSON.parse(again.stderr).error.code).toBe('TARGET_NOT_EMPTY')
  const other = join(folder, 'other')
  const codeOf = async (env: Record<string, string>) =>
    JSON.parse((await runIn(other, ['restore', place], env)).stderr).error.code
  expect(await codeOf({})).toBe('NO_S3_KEYS')
  expect(await codeOf({ ...s3.env, BACKUP_S3_ENDPOINT: 'http://127.0.0.1:1' })).toBe('S3_FAILED')
  await s3.overwrite('by-hand/slugline.db', 'x')
  const damaged = await slugline.cli('backup', 'verify', place, '--json')
  expect(JSON.parse(damaged.stderr).error.code).toBe('BACKUP_DAMAGED')
  expect(await codeOf(s3.env)).toBe('BACKUP_DAMAGED')
  expect(existsSync(other)).toBe(false)
})

test('a directory: backup, verify, restore; several nodes are refused with an alternative', async () => {
  const place = join(folder, 'monday')
  expect(await json('backup', place)).toMatchObject({ backup: place, secret: 'file' })
  expect((await instanceEntries())[0]).toBe(`command instance.backed_up ${place}`)
  expect(await json('backup', 'verify', place)).toMatchObject({ links: 1 })
  const full = await slugline.cli('restore', place, '--json')
  expect(JSON.parse(full.stderr).error.code).toBe('TARGET_NOT_EMPTY')
  expect(readdirSync(place)).toContain('manifest.json')
  const scaled = { DATABASE_URL: 'postgres://127.0.0.1:1/x', REDIS_URL: 'redis://127.0.0.1:1' }
  for (const command of ['backup', 'restore']) {
    const { status, stderr } = await runIn(join(folder, 'node'), [command, place], scaled)
    expect(status).toBe(1)
    expect(JSON.parse(stderr).error.code).toBe('SEVERAL_NODES')
  }
  writeFileSync(join(place, 'slugline.db'), '')
  const damaged = await slugline.cli('backup', 'verify', place, '--json')
  expect(JSON.parse(damaged.stderr).error.code).toBe('BACKUP_DAMAGED')
})
