import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type S3Server, startS3 } from '../../../test/harness/s3.ts'
import { Secret } from '../../lib/base/secret.ts'
import { describeFiles, MANIFEST, type Manifest } from './manifest.ts'
import { openStore } from './places.ts'
import type { BackupStore } from './types.ts'
import { fetchBackup } from './verify.ts'

let root: string
let s3: S3Server
let store: BackupStore
beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'slugline-s3-test-'))
  s3 = await startS3()
  const config = {
    endpoint: s3.env.BACKUP_S3_ENDPOINT as string,
    region: 'us-east-1',
    accessKeyId: new Secret('S3RVER'),
    secretAccessKey: new Secret('S3RVER'),
  }
  store = openStore({ bucket: s3.bucket, prefix: 'a/b' }, { dataDir: root, s3: config })
})
afterAll(async () => {
  await s3?.stop()
  rmSync(root, { recursive: true, force: true })
})

const FILES: Record<string, Uint8Array> = {
  // Larger than one part.
  'large.db': new Uint8Array(20_000_000).map((_, n) => n % 251),
  'journal/00000001.log': new TextEncoder().encode('a line\n'),
  // The empty last segment of a journal.
  'journal/00000002.log': new Uint8Array(),
}

async function fill(directory: string): Promise<Manifest> {
  mkdirSync(join(directory, 'journal'))
  for (const [name, bytes] of Object.entries(FILES)) writeFileSync(join(directory, name), bytes)
  const at = '2026-01-01T00:00:00Z'
  const about = { version: '1', began_at: at, ended_at: at, secret: 'file' } as const
  const manifest = await describeFiles(directory, about)
  writeFileSync(join(directory, MANIFEST), JSON.stringify(manifest))
  return manifest
}

test('a backup is fetched as it was sent, including large and empty files', async () => {
  const manifest = await store.create('one', fill)
  expect(existsSync(join(root, 'backing-up'))).toBe(false)
  const to = join(root, 'fetched')
  mkdirSync(to)
  expect(await fetchBackup(store.open('one'), to)).toEqual(manifest)
  for (const [name, bytes] of Object.entries(FILES)) {
    expect(Buffer.from(bytes).equals(await Bun.file(join(to, name)).bytes())).toBe(true)
  }
  await expect(store.create('one', fill)).rejects.toMatchObject({ code: 'TARGET_NOT_EMPTY' })
})

test('only backups with a manifest are complete, and removal deletes them', async () => {
  await store.create('two', fill)
  const interrupted = store.create('three', async (directory) => {
    const manifest = await fill(directory)
    // As if the last object had not been uploaded.
    return { ...manifest, files: manifest.files.map((file) => ({ ...file, bytes: 1 })) }
  })
  await expect(interrupted).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' })
  expect(existsSync(join(root, 'backing-up'))).toBe(false)
  const found = await store.list()
  expect(found.find(({ name }) => name === 'two')).toEqual({ name: 'two', isComplete: true })
  expect(found.find(({ name }) => name === 'three')).toEqual({ name: 'three', isComplete: false })
  await expect(store.open('three').manifest()).rejects.toMatchObject({ code: 'NOT_A_BACKUP' })
  for (const name of ['two', 'three']) await store.remove(name)
  expect(s3.keys().filter((key) => !key.startsWith('a/b/one/'))).toEqual([])
})
