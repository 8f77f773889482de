import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { journalDirectory, listSegments, segmentFile } from '../../clicks/index.ts'
import { ensureDataDir, openSecrets, restoringDirectory } from '../../platform/config/index.ts'
import { databaseFiles, openSqlite } from '../../platform/storage/index.ts'
import { copyMigrated } from '../../platform/storage/testing/database.ts'
import { readState } from '../../server/operations/backup-state.ts'
import { tryLock } from '../../server/operations/lock.ts'
import { openDuckDb } from '../../statistics/engine/duckdb/index.ts'
import { statisticsFile } from '../../statistics/process/index.ts'
import { createBackup } from './create.ts'
import { holdSegments } from './journal.ts'
import { MANIFEST, type Manifest } from './manifest.ts'
import { locate } from './places.ts'
import { restoreBackup } from './restore.ts'
import { verifyBackup } from './verify.ts'

let root: string
let dataDir: string
let target: string
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'slugline-backup-'))
  dataDir = join(root, 'data')
  target = join(root, 'backup')
  mkdirSync(journalDirectory(dataDir), { recursive: true })
  openSecrets(dataDir, null)
  await copyMigrated(dataDir)
  // New links would not take over clicks.
  const links = openSqlite(databaseFiles(dataDir).main)
  links.raw.run("INSERT INTO deleted_workspaces (no, id, deleted_at) VALUES (40, 'wsp_40', 1)")
  links.close()
  const statistics = await openDuckDb(statisticsFile(dataDir))
  const connection = await statistics.connect()
  await connection.run('INSERT INTO daily VALUES (1, 4294967297, 20000, 0, 3, 2, 2)')
  statistics.close()
  writeFileSync(segmentFile(journalDirectory(dataDir), 7), 'a line\nand one that is being writ')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const place = (directory: string) => locate({ directory }, { dataDir, s3: null })
const stored = () => place(target).store.open('backup')
const backUp = (given: string | null = null) => createBackup({ dataDir, given }, place(target))

describe('a backup', () => {
  test('restores everything that the instance had, with private file modes', async () => {
    const { raw, close } = openSqlite(databaseFiles(dataDir).main)
    raw.run("INSERT INTO deleted_workspaces (no, id, deleted_at) VALUES (41, 'wsp_41', 1)")
    const { manifest, bytes } = await backUp()
    close()
    expect(manifest.files.map(({ name }) => name)).toEqual([
      'counters.db',
      'journal/00000007.log',
      'secret',
      'secret-fingerprint',
      'slugline.db',
      'statistics.duckdb',
    ])
    expect(await verifyBackup(stored())).toMatchObject({ bytes, links: 0, manifest })
    const other = join(root, 'other')
    await restoreBackup(stored(), other)
    expect(readdirSync(other).sort()).toEqual([
      'counters.db',
      'journal',
      'secret',
      'secret-fingerprint',
      'slugline.db',
      'statistics.duckdb',
    ])
    expect(readFileSync(segmentFile(journalDirectory(other), 7), 'utf8')).toBe('a line\n')
    expect(readFileSync(join(other, 'secret'))).toEqual(readFileSync(join(dataDir, 'secret')))
    for (const directory of [target, other]) expect(statSync(directory).mode & 0o077).toBe(0)
    const restored = openSqlite(databaseFiles(other).main)
    expect(restored.raw.query('SELECT no FROM deleted_workspaces').values()).toEqual([[40], [41]])
    // The instance may have had other events since: readers must not take one feed for the other.
    const feedOf = (of: typeof restored) =>
      of.raw.query("SELECT value FROM instance WHERE name = 'feed'").values()[0]?.[0] as string
    const source = openSqlite(databaseFiles(dataDir).main)
    expect(feedOf(restored)).toMatch(/^[0-9a-f-]{36}$/)
    expect(feedOf(restored)).not.toBe(feedOf(source))
    source.close()
    restored.close()
    const statistics = await openDuckDb(statisticsFile(other))
    expect(await (await statistics.connect()).run('SELECT clicks FROM daily')).toHaveLength(1)
    statistics.close()
    ensureDataDir(other)
  })

  test('is noted by the instance, but not in the restored copy', async () => {
    expect(readState(dataDir)).toBeNull()
    const { manifest, bytes } = await backUp()
    expect(readState(dataDir)).toMatchObject({ at: Date.parse(manifest.began_at), bytes })
    await restoreBackup(stored(), join(root, 'other'))
    expect(readState(join(root, 'other'))).toBeNull()
  })

  test('records whether it contains the secret', async () => {
    expect((await backUp()).manifest.secret).toBe('file')
    const secret = readFileSync(join(dataDir, 'secret'), 'utf8').trim()
    rmSync(join(dataDir, 'secret'))
    rmSync(target, { recursive: true })
    await expect(backUp('another secret, which is long enough.')).rejects.toThrow('SLUGLINE_SECRET')
    expect((await backUp(secret)).manifest.secret).toBe('environment')
  })

  test('needs a new or empty directory, and runs one at a time', async () => {
    mkdirSync(target)
    writeFileSync(join(target, 'mine'), '')
    await expect(backUp()).rejects.toMatchObject({ code: 'TARGET_NOT_EMPTY' })
    rmSync(join(target, 'mine'))
    await backUp()
    await expect(backUp()).rejects.toMatchObject({ code: 'TARGET_NOT_EMPTY' })
    const lock = tryLock(join(dataDir, 'backup-lock.db'), 0)
    await expect(
      createBackup({ dataDir, given: null }, place(join(root, 'second'))),
    ).rejects.toMatchObject({
      code: 'BACKUP_RUNNING',
    })
    lock?.close()
  })

  test('is refused below a file', async () => {
    const file = join(root, 'file')
    writeFileSync(file, '')
    for (const below of [join(file, 'sub', 'name'), join(file, 'name')]) {
      await expect(createBackup({ dataDir, given: null }, place(below))).rejects.toMatchObject({
        code: 'INVALID_PLACE',
      })
    }
  })

  test('that fails leaves no files', async () => {
    writeFileSync(databaseFiles(dataDir).main, 'no database')
    await expect(backUp()).rejects.toThrow()
    expect(readdirSync(root)).toEqual(['data'])
    expect(readState(dataDir)).toBeNull()
  })

  test('of a directory without an instance, and of a node, is refused', async () => {
    rmSync(databaseFiles(dataDir).main)
    await expect(backUp()).rejects.toMatchObject({ code: 'NO_INSTANCE' })
    writeFileSync(join(dataDir, 'node'), 'nod_1 1\n')
    await expect(backUp()).rejects.toMatchObject({ code: 'SEVERAL_NODES' })
  })
})

describe('a damaged backup is refused', () => {
  const faults: Record<string, [damage: () => void, code?: string]> = {
    'interrupted before its manifest': [() => rmSync(join(target, MANIFEST)), 'NOT_A_BACKUP'],
    'with half a manifest': [() => truncateSync(join(target, MANIFEST), 100)],
    'of a later format': [() => change((manifest) => ({ ...manifest, format: 2 })), 'BACKUP_NEWER'],
    'with a file cut off': [() => truncateSync(statisticsFile(target), 4_096)],
    'with a file missing': [() => rmSync(databaseFiles(target).counters)],
    'with another file': [() => writeFileSync(join(target, 'journal', '00000008.log'), '')],
    'with one byte changed': [() => flip(databaseFiles(target).main)],
    'that names a file outside of it': [
      () =>
        change((manifest) => ({
          ...manifest,
          files: [...manifest.files, { name: '../data/secret', bytes: 44, sha256: '0'.repeat(64) }],
        })),
    ],
  }
  for (const [name, [damage, code = 'BACKUP_DAMAGED']] of Object.entries(faults)) {
    test(name, async () => {
      await backUp()
      damage()
      await expect(verifyBackup(stored())).rejects.toMatchObject({ code })
      // A restore has no use for other files.
      if (name === 'with another file') return
      const other = join(root, 'other')
      await expect(restoreBackup(stored(), other)).rejects.toMatchObject({ code })
      expect(existsSync(other)).toBe(false)
    })
  }

  test('whose database is damaged, as its manifest describes it', async () => {
    await backUp()
    const { main } = databaseFiles(target)
    const bytes = readFileSync(main)
    bytes.fill(0xff, 4_096, 8_192)
    writeFileSync(main, bytes)
    const sha256 = new Bun.CryptoHasher('sha256').update(bytes).digest('hex')
    change((manifest) => ({
      ...manifest,
      files: manifest.files.map((file) =>
        file.name === 'slugline.db' ? { ...file, sha256 } : file,
      ),
    }))
    await expect(verifyBackup(stored())).rejects.toMatchObject({ code: 'BACKUP_DAMAGED' })
  })
})

describe('a restore', () => {
  test('is refused into a directory that holds anything', async () => {
    await backUp()
    await expect(restoreBackup(stored(), dataDir)).rejects.toMatchObject({
      code: 'TARGET_NOT_EMPTY',
    })
  })

  test('that was interrupted is no data directory', async () => {
    const other = join(root, 'other')
    mkdirSync(restoringDirectory(other), { recursive: true })
    expect(() => ensureDataDir(other)).toThrow('restored')
    await backUp()
    await expect(restoreBackup(stored(), other)).rejects.toMatchObject({ code: 'TARGET_NOT_EMPTY' })
  })

  test('of tables that a newer version made is refused', async () => {
    const { raw, close } = openSqlite(databaseFiles(dataDir).main)
    raw.run("INSERT INTO kysely_migration VALUES ('9999-later', '2030-01-01T00:00:00Z')")
    close()
    await backUp()
    const restored = restoreBackup(stored(), join(root, 'other'))
    await expect(restored).rejects.toMatchObject({ code: 'BACKUP_NEWER' })
  })
})

test('segments are copied although they are deleted after they were held', () => {
  const directory = journalDirectory(dataDir)
  const journal = holdSegments(dataDir)
  try {
    journal.hold()
    writeFileSync(segmentFile(directory, 8), 'second\n')
    appendFileSync(segmentFile(directory, 7), 'ten\n')
    unlinkSync(segmentFile(directory, 7))
    journal.hold()
    expect(journal.isWhole).toBe(true)
    mkdirSync(target)
    journal.copyTo(target)
    const copied = journalDirectory(target)
    expect(listSegments(copied)).toEqual([7, 8])
    expect(readFileSync(segmentFile(copied, 7), 'utf8')).toBe(
      'a line\nand one that is being written\n',
    )
    writeFileSync(segmentFile(directory, 10), 'fourth\n')
    journal.hold()
    expect(journal.isWhole).toBe(false)
  } finally {
    journal.close()
  }
})

function change(edit: (manifest: Manifest) => object): void {
  const manifest = JSON.parse(readFileSync(join(target, MANIFEST), 'utf8')) as Manifest
  writeFileSync(join(target, MANIFEST), JSON.stringify(edit(manifest)))
}

function flip(file: string): void {
  const bytes = readFileSync(file)
  bytes[bytes.length - 10] = (bytes[bytes.length - 10] ?? 0) ^ 1
  writeFileSync(file, bytes)
}
