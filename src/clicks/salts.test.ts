import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { postgresMissing, sharedPostgres, type TestPostgres } from '../../test/harness/postgres.ts'
import { systemRandom } from '../lib/base/random.ts'
import { type Storage, StorageUnavailable } from '../platform/storage/index.ts'
import { OtherSecret, openSharedVisitors } from './salts.ts'
import { openTestStorage } from './testing/shared.ts'

const DAY = 86_400_000

type SharedVisitors = Awaited<ReturnType<typeof openSharedVisitors>>

describe.skipIf(postgresMissing !== undefined)('visitor hashes shared by nodes', () => {
  let postgres: TestPostgres
  let storage: Storage
  let dir: string
  let now: number
  let made: SharedVisitors[]
  let away: boolean
  const clock = { now: () => now }
  const key = new Uint8Array(32).fill(7)

  beforeAll(async () => {
    postgres = await sharedPostgres()
  })
  beforeEach(async () => {
    now = 20_000 * DAY + 1_000
    away = false
    dir = mkdtempSync(join(tmpdir(), 'slugline-salts-'))
    made = []
    storage = await openTestStorage(await postgres.createDatabase())
  })
  afterEach(async () => {
    for (const visitors of made) visitors.close()
    await storage.close()
    rmSync(dir, { recursive: true, force: true })
  })

  /** The node's view of the storage, which may be down. */
  const reached: Pick<Storage, 'read' | 'write'> = {
    get read() {
      if (away) throw new StorageUnavailable('away')
      return storage.read
    },
    write: (work) => {
      if (away) return Promise.reject(new StorageUnavailable('away'))
      return storage.write(work)
    },
  }

  async function open(node: string, secret = key): Promise<SharedVisitors> {
    const file = join(dir, node)
    const options = { storage: reached, key: secret, file, clock, random: systemRandom }
    const visitors = await openSharedVisitors(options)
    made.push(visitors)
    return visitors
  }

  const hash = (visitors: SharedVisitors) => visitors.hash(now, '203.0.113.7', 'Firefox')
  const stored = async () =>
    (
      await sql<{ day: number; sealed: string }>`SELECT day, sealed FROM visitor_salts
        ORDER BY day`.execute(storage.read.db)
    ).rows

  test('all nodes have the same hash, another one each day', async () => {
    const nodes = await Promise.all(['a', 'b', 'c', 'd'].map((node) => open(node)))
    const today = new Set(nodes.map(hash))
    expect(today.size).toBe(1)
    now += DAY
    // Tomorrow's salt was stored before midnight.
    away = true
    const tomorrow = new Set(nodes.map(hash))
    expect(tomorrow.size).toBe(1)
    expect(tomorrow).not.toEqual(today)
  })

  test('the salts are encrypted in the database, and in a file of the node', async () => {
    await open('a')
    const text = readFileSync(join(dir, 'a'), 'utf8')
    expect(statSync(join(dir, 'a')).mode & 0o777).toBe(0o600)
    const rows = await stored()
    expect(rows.map(({ day }) => day)).toEqual([20_000, 20_001])
    for (const salt of Object.values(JSON.parse(text) as Record<string, string>)) {
      for (const { sealed } of rows) expect(sealed).not.toContain(salt)
    }
    await expect(open('b', new Uint8Array(32))).rejects.toThrow(OtherSecret)
  })

  test('the salts are deleted 48 hours after their day began', async () => {
    const node = await open('a')
    const before = hash(node)
    now += DAY
    await node.refresh()
    expect((await stored()).map(({ day }) => day)).toEqual([20_000, 20_001, 20_002])
    now += DAY
    await node.refresh()
    expect((await stored()).map(({ day }) => day)).toEqual([20_001, 20_002, 20_003])
    const kept = JSON.parse(readFileSync(join(dir, 'a'), 'utf8')) as Record<string, string>
    expect(Object.keys(kept)).toEqual(['20001', '20002', '20003'])
    expect(hash(node)).not.toBe(before)
  })

  test('a node that starts while PostgreSQL is down reads the salts from its file', async () => {
    const before = hash(await open('a'))
    away = true
    expect(hash(await open('a'))).toBe(before)
    const stranger = await open('b')
    expect(hash(stranger)).not.toBe(before)
    away = false
    await stranger.refresh()
    expect(hash(stranger)).toBe(before)
  })
})
