import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nodeFile } from '../../platform/cluster/node.ts'
import type { ConfigError } from '../../platform/config/index.ts'
import { migrateDatabase } from './databases.ts'
import { prepare } from './prepare.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'slugline-prepare-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

test("a node's directory never becomes an instance of its own", async () => {
  writeFileSync(nodeFile(dataDir), 'nod_1 1\n')
  const settings = { dataDir, scaled: null }
  for (const start of [
    () => prepare(settings, { given: null, isNode: true }),
    () => migrateDatabase(settings),
  ]) {
    const error = (await start().catch((failed) => failed)) as ConfigError
    expect(error.faults.map(({ variable }) => variable)).toEqual(['DATABASE_URL'])
  }
  expect(readdirSync(dataDir)).toEqual(['node'])
})
