import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Storage } from '../../platform/storage/index.ts'
import { openTestStorage, testDialect } from '../../platform/storage/testing/database.ts'
import { explaining } from '../../platform/storage/testing/explain.ts'
import { findHiddenKeys, numbersOfTags, tagsOfNumbers } from './store.ts'

let dir: string
let storage: Storage
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-tags-'))
  storage = await openTestStorage(dir)
})
afterAll(async () => {
  await storage.close()
  rmSync(dir, { recursive: true, force: true })
})

test.skipIf(testDialect !== 'sqlite')('no look-up of some tags reads all of them', async () => {
  const { sqlx, plans } = explaining(storage.read)
  const some = Array.from({ length: 20 }, (_, i) => i + 1)
  await numbersOfTags(sqlx, 1, some.map(String))
  await tagsOfNumbers(sqlx, 1, some)
  await findHiddenKeys(
    sqlx,
    { workspaceNo: 1, view: { hiddenFolders: ['fld_a'] } },
    some.map(String),
  )
  expect(plans.length).toBe(3)
  const ofAll = plans.flat().filter((line) => line.endsWith('(workspace_no=?)'))
  expect(ofAll).toEqual([])
})
