import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { existingSecret, openSecrets } from '../config/index.ts'
import { databaseFiles, migrate, openSqlite } from '../storage/index.ts'
import { checkSource, type MoveRefused } from './checks.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-move-checks-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const refusal = (secret: string | null = null) =>
  checkSource(dir, secret).then(
    () => null,
    (error) => (error as MoveRefused).refusal,
  )

function change(statement: string): void {
  const { raw, close } = openSqlite(databaseFiles(dir).main)
  raw.run(statement)
  close()
}

test('a directory without an instance is not moved', async () => {
  expect(await refusal()).toBe('NO_INSTANCE')
})

test('an instance is moved with its own secret alone', async () => {
  await migrate(dir)
  openSecrets(dir, null)
  expect(await refusal()).toBeNull()
  expect(await checkSource(dir, null)).toBe(existingSecret(dir) ?? '')
  expect(await refusal('another secret, of 32 characters')).toBe('OTHER_SECRET')
})

test('an instance of another version is not moved', async () => {
  await migrate(dir)
  openSecrets(dir, null)
  change("INSERT INTO kysely_migration VALUES ('9999-later', '2030-01-01T00:00:00.000Z')")
  expect(await refusal()).toBe('SOURCE_NEWER')
  change("DELETE FROM kysely_migration WHERE name = '9999-later'")
  change('DELETE FROM kysely_migration WHERE name = (SELECT max(name) FROM kysely_migration)')
  expect(await refusal()).toBe('SOURCE_NOT_MIGRATED')
})
