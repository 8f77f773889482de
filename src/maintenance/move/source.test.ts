import { afterEach, beforeEach, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSecrets } from '../../platform/config/index.ts'
import { databaseFiles, migrate, openSqlite } from '../../platform/storage/index.ts'
import { statisticsFile } from '../../statistics/process/index.ts'
import { moveInstance } from './move.ts'
import { openSource } from './source.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-source-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Moves into a missing database: refusals must come before it is used. */
const move = () =>
  moveInstance({
    dataDir: dir,
    given: null,
    geoipDatabase: null,
    plansFile: null,
    to: 'postgres://127.0.0.1:1/nothing',
    clickHouse: null,
    progress() {},
  })

async function makeInstance(): Promise<void> {
  openSecrets(dir, null)
  await migrate(dir)
}

test('a directory that holds no instance is refused', async () => {
  await expect(move()).rejects.toMatchObject({ code: 'NO_INSTANCE' })
  openSecrets(dir, null)
  await expect(move()).rejects.toMatchObject({ code: 'NO_INSTANCE' })
})

test('an instance of a newer version is refused', async () => {
  await makeInstance()
  const { raw, close } = openSqlite(databaseFiles(dir).main)
  raw.run("INSERT INTO kysely_migration VALUES ('9999-later', '2030-01-01T00:00:00Z')")
  close()
  await expect(move()).rejects.toThrow('9999-later')
})

test('clicks are never copied from a process that does not pause its writes', async () => {
  await makeInstance()
  const file = statisticsFile(dir)
  const script = `
    const { openDuckDb } = await import(${JSON.stringify(join(import.meta.dir, '../../statistics/engine/duckdb/index.ts'))})
    const database = await openDuckDb(${JSON.stringify(file)})
    const connection = await database.connect()
    await connection.run("INSERT INTO daily VALUES (1, 4294967297, 20000, 0, 3, 2, 2)")
    console.log('open')
    setInterval(() => [database.file, connection], 1_000)`
  const child = Bun.spawn([process.execPath, '-e', script], { stdout: 'pipe', stderr: 'inherit' })
  const scratch = join(dir, 'moving')
  mkdirSync(scratch)
  const open = (pauseWithinMs: number) =>
    openSource(dir, {
      scratch,
      geoipDatabase: null,
      plansFile: null,
      isRunning: true,
      pauseWithinMs,
    })
  try {
    expect(new TextDecoder().decode((await child.stdout.getReader().read()).value)).toBe('open\n')
    await expect(open(500)).rejects.toMatchObject({ code: 'STATISTICS_BUSY' })
    expect(existsSync(statisticsFile(scratch))).toBe(false)
  } finally {
    child.kill('SIGKILL')
    await child.exited
  }
  // The lock is free: the content of the log is copied, too.
  const source = await open(10_000)
  const connection = await source.clicks.connect()
  expect(await connection.run('SELECT clicks FROM daily')).toHaveLength(1)
  source.close()
})
