import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { StorageUnavailable } from '../storage.ts'
import { copyMigrated } from '../testing/database.ts'
import { attachCounters } from './attached-counters.ts'
import { openSqlite, type SqliteConnection } from './connection.ts'
import { databaseFiles } from './index.ts'

let dir: string
let reader: SqliteConnection
let counters: ReturnType<typeof attachCounters>
beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-counters-'))
  await copyMigrated(dir)
  const files = databaseFiles(dir)
  reader = openSqlite(files.main, { readonly: true, attach: files.counters })
  const attached = { reader, file: files.counters, instance: null, renewReports() {} }
  counters = attachCounters(attached, {})
})
afterEach(() => {
  reader.close()
  rmSync(dir, { recursive: true, force: true })
})

/** A statement that fails the first time, after `before`, as one does on a lost file. */
function failing(before: () => Promise<unknown>) {
  let tries = 0
  return counters.guard(async () => {
    if (tries++ > 0) return { rows: ['read'] }
    await before()
    throw new StorageUnavailable('SQLITE_CANTOPEN: unable to open database file')
  })('', [])
}

const remove = async () => rmSync(databaseFiles(dir).counters)

test('a statement that failed by lost counters is repeated once they are made anew', async () => {
  expect(await failing(remove)).toEqual({ rows: ['read'] })
})

test('also if they were made anew before the failure was known', async () => {
  const replaced = async () => {
    await remove()
    expect(await counters.check()).toBe(true)
  }
  expect(await failing(replaced)).toEqual({ rows: ['read'] })
})

test('a statement that failed while the counters are whole is not repeated', async () => {
  await expect(failing(async () => {})).rejects.toThrow(StorageUnavailable)
})
