import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  databaseFiles,
  type EmbeddedStorage,
  migrate,
  migrationStates,
  openEmbedded,
  openSqlite,
  prepare,
} from './index.ts'

let dir: string
let storage: EmbeddedStorage

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'slugline-storage-'))
  await migrate(dir)
  storage = await openEmbedded(dir)
})

afterEach(async () => {
  await storage.close()
  rmSync(dir, { recursive: true, force: true })
})

const insertDomain = prepare<{ no: number; host: string }, { no: number }>((db, p) =>
  db
    .insertInto('domains')
    .values({ no: p.no, host: p.host })
    .onConflict((conflict) => conflict.doNothing())
    .returning('no'),
)

const hosts = async () =>
  (await storage.read.db.selectFrom('domains').select('host').orderBy('no').execute()).map(
    (row) => row.host,
  )

describe('migrations', () => {
  test('are applied once, and reported', async () => {
    expect(await migrate(dir)).toEqual([])
    const states = await migrationStates(dir)
    expect(states.length).toBeGreaterThan(1)
    expect(states.every((state) => state.applied_at !== null)).toBe(true)
  })

  test('leave no connection open, which would keep its write-ahead log', async () => {
    const other = mkdtempSync(join(tmpdir(), 'slugline-storage-'))
    await migrate(other)
    expect(readdirSync(other).sort()).toEqual(['counters.db', 'slugline.db'])
    rmSync(other, { recursive: true })
  })

  test('of a newer version are listed as such', async () => {
    const newer = mkdtempSync(join(tmpdir(), 'slugline-storage-'))
    await migrate(newer)
    const { raw, close } = openSqlite(databaseFiles(newer).main)
    raw.run("INSERT INTO kysely_migration VALUES ('9999-later', '2030-01-01T00:00:00.000Z')")
    close()
    const states = await migrationStates(newer)
    expect(states.filter((state) => state.newer)).toEqual([
      { database: 'main', name: '9999-later', applied_at: '2030-01-01T00:00:00.000Z', newer: true },
    ])
    rmSync(newer, { recursive: true, force: true })
  })
})

test('can run in many processes concurrently', async () => {
  const fresh = mkdtempSync(join(tmpdir(), 'slugline-storage-'))
  const script = `import { migrate } from ${JSON.stringify(join(import.meta.dir, 'index.ts'))}
    await migrate(${JSON.stringify(fresh)})`
  const started = Array.from({ length: 6 }, () =>
    Bun.spawn([process.execPath, '-e', script], { stderr: 'inherit' }),
  )
  const statuses = await Promise.all(started.map((child) => child.exited))
  expect(statuses).toEqual([0, 0, 0, 0, 0, 0])
  expect((await migrationStates(fresh)).every((state) => state.applied_at !== null)).toBe(true)
  rmSync(fresh, { recursive: true, force: true })
}, 120_000)

describe('write', () => {
  test('gives each of many transactions its own result, and rolls back only the failing one', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, (_, i) =>
        storage.write(async (tx) => {
          await tx.run(insertDomain, { no: i, host: `h${i}` })
          if (i % 7 === 3) throw new Error(`refused ${i}`)
          return i
        }),
      ),
    )
    const kept = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
    expect(kept).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 18, 19])
    expect(await hosts()).toEqual(kept.map((i) => `h${i}`))
  })

  test('rolls back a single failing transaction', async () => {
    const failing = storage.write(async (tx) => {
      await tx.run(insertDomain, { no: 1, host: 'a' })
      throw new Error('refused')
    })
    await expect(failing).rejects.toThrow('refused')
    await failing.catch(() => {})
    expect(await hosts()).toEqual([])
  })

  test('lets the unique index decide a race: one winner', async () => {
    const won = await Promise.all(
      Array.from({ length: 50 }, () =>
        storage.write(async (tx) => (await tx.run(insertDomain, { no: 1, host: 'a' })).length),
      ),
    )
    expect(won.filter((rows) => rows === 1)).toHaveLength(1)
  })

  test('runs effects after the commit and before it resolves; not those of a rolled back one', async () => {
    const seen: string[] = []
    await storage.write(async (tx) => {
      await tx.run(insertDomain, { no: 1, host: 'a' })
      tx.afterCommit(() => void seen.push('effect'))
    })
    seen.push('resolved')
    await storage
      .write(async (tx) => {
        tx.afterCommit(() => void seen.push('never'))
        throw new Error('refused')
      })
      .catch(() => {})
    expect(seen).toEqual(['effect', 'resolved'])
  })

  test('shows other readers nothing before the commit', async () => {
    let during: string[] = []
    await storage.write(async (tx) => {
      await tx.run(insertDomain, { no: 1, host: 'a' })
      during = await hosts()
    })
    expect(during).toEqual([])
    expect(await hosts()).toEqual(['a'])
  })

  test('is readable by another process after the close', async () => {
    await storage.write((tx) => tx.run(insertDomain, { no: 1, host: 'a' }))
    await storage.close()
    storage = await openEmbedded(dir)
    expect(await hosts()).toEqual(['a'])
  })
})

test('the write-ahead log stays short under a steady stream of writes', async () => {
  const wal = `${databaseFiles(dir).main}-wal`
  const padding = 'x'.repeat(20_000)
  let written = 0
  let longest = 0
  const stream = async () => {
    while (written < 4_000) {
      const no = ++written
      await storage.write((tx) => tx.run(insertDomain, { no, host: `${no}${padding}` }))
      longest = Math.max(longest, statSync(wal).size)
    }
  }
  await Promise.all(Array.from({ length: 8 }, stream))
  // Twice 20 kB per row, in the table and its index: 160 MB were written.
  expect(longest).toBeLessThan(80_000_000)
  expect(await hosts()).toHaveLength(written)
}, 120_000)

describe('reports', () => {
  test('return on another thread what read returns, including counters', async () => {
    await storage.write((tx) => tx.run(insertDomain, { no: 1, host: 'a' }))
    const query = (sql: typeof storage.read) =>
      sql.db.selectFrom('domains').selectAll().orderBy('no').execute()
    expect(await query(storage.reports)).toEqual(await query(storage.read))
    expect(await storage.reports.db.selectFrom('link_counters').selectAll().execute()).toEqual([])
  })

  test('refuse to write', async () => {
    const writing = storage.reports.run(insertDomain, { no: 1, host: 'a' })
    await expect(writing).rejects.toThrow()
    await writing.catch(() => {})
    expect(await hosts()).toEqual([])
  })
})

test('the files are where the data directory says', () => {
  const files = databaseFiles(dir)
  expect(existsSync(files.main)).toBe(true)
  expect(existsSync(files.counters)).toBe(true)
  expect(statSync(`${files.main}-wal`).isFile()).toBe(true)
})
