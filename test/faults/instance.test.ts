import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Migration, Migrator } from 'kysely'
import {
  COUNTERS_MIGRATIONS,
  MAIN_MIGRATIONS,
} from '../../src/platform/storage/migrations/index.ts'
import { openSqlite } from '../../src/platform/storage/sqlite/connection.ts'
import { hasClickHouse, startClickHouse } from '../harness/clickhouse.ts'
import { eventually } from '../harness/eventually.ts'
import { sharedPostgres } from '../harness/postgres.ts'
import { BASE_ENV, runCommand, type Slugline, startSlugline } from '../harness/process.ts'
import { redisMissing, startRedis } from '../harness/redis.ts'
import { openFreed } from '../harness/statistics-file.ts'
import { testStore } from '../harness/store.ts'

const PERSON = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
}
/** Locks of processes, which no start leaves as they were. */
const LOCKS = /^(?:lock\.db.*|server\.pid|statistics\.sock)$/
const MAIN = 'slugline.db'

let root: string
/** A stopped instance with links and clicks, one more, and one that was never used. */
let used: string
let other: string
let fresh: string

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'slugline-instance-'))
  ;[used, other] = await Promise.all([makeInstance('used', 3), makeInstance('other', 1)])
  fresh = join(root, 'fresh')
  expect((await runCommand(['migrate'], envOf(fresh))).status).toBe(0)
}, 240_000)
afterAll(() => rmSync(root, { recursive: true, force: true }))

const envOf = (dataDir: string) => ({
  ...BASE_ENV,
  SLUGLINE_DATA_DIR: dataDir,
  PORT: '0',
  LOG_LEVEL: 'warn',
  BACKGROUND_NICENESS: '0',
})

/** Makes some links with a click each, and stops when all is counted and stored. */
async function makeInstance(name: string, links: number): Promise<string> {
  const dataDir = join(root, name)
  const slugline = await startSlugline({}, { dataDir })
  const key = await makeLinks(slugline, links)
  await eventually('the clicks are counted', async () => {
    const answer = await slugline.call('GET', '/api/v1/links', { key })
    const { data } = (await answer.json()) as { data: { clicks: { total: number } }[] }
    return data.every(({ clicks }) => clicks.total > 0) || undefined
  })
  expect(await slugline.stop()).toBe(0)
  // Stores the clicks that the server had no time for.
  await eventually('all clicks are stored', async () => {
    const recount = await runCommand(['clicks', 'recount'], envOf(dataDir))
    return recount.status === 0 || undefined
  })
  const statistics = await openFreed(join(dataDir, 'statistics.duckdb'), { readonly: true })
  const connection = await statistics.connect()
  expect((await connection.run('SELECT count(*) FROM clicks')).flat().map(Number)).toEqual([links])
  statistics.close()
  return dataDir
}

async function makeLinks(slugline: Slugline, links: number): Promise<string> {
  const { key } = await slugline.createKey()
  for (let n = 1; n <= links; n++) {
    expect((await makeLink(slugline, key, `l${n}`)).status).toBe(201)
    expect((await slugline.call('GET', `/l${n}`, { headers: PERSON })).status).toBe(302)
  }
  return key
}

function makeLink(slugline: Slugline, key: string, slug: string): Promise<Response> {
  const body = { destination_url: 'https://example.com/', slug }
  return slugline.call('POST', '/api/v1/links', { key, body })
}

let copies = 0
/** A copy of a data directory, of some files or all. */
function copyOf(from: string, names = readdirSync(from)): string {
  const to = join(root, `copy-${++copies}`)
  mkdirSync(to, { mode: 0o700 })
  for (const name of names) {
    if (LOCKS.test(name)) continue
    cpSync(join(from, name), join(to, name), { recursive: true })
  }
  return to
}

/** Every file with its content, but for locks, indexes of logs and empty logs. */
function contentOf(dataDir: string): Record<string, string> {
  const files = readdirSync(dataDir, { recursive: true })
    .map(String)
    .filter((name) => !LOCKS.test(name) && !name.endsWith('-shm'))
    .filter((name) => statSync(join(dataDir, name)).isFile())
    .filter((name) => !name.endsWith('-wal') || statSync(join(dataDir, name)).size > 0)
  return Object.fromEntries(
    files
      .sort()
      .map((name) => [
        name,
        Bun.CryptoHasher.hash('sha256', readFileSync(join(dataDir, name)), 'hex'),
      ]),
  )
}

/** Expects that nothing starts on a directory, and that its files stay as they are. */
async function expectRefused(dataDir: string, file: string): Promise<void> {
  const before = contentOf(dataDir)
  // Only the server uses the statistics.
  const others = file === 'statistics.duckdb' ? [] : [['keys', 'list'], ['migrate']]
  for (const command of [['serve'], ['doctor'], ...others]) {
    const { status, stdout, stderr } = await runCommand(command, envOf(dataDir))
    expect({ command, status }).toEqual({ command, status: 1 })
    expect(stdout + stderr).toContain(join(dataDir, file))
    expect(stderr).not.toContain('Unexpected')
  }
  expect(contentOf(dataDir)).toEqual(before)
}

const DAMAGES: Record<string, (file: string) => void> = {
  missing: (file) => rmSync(file),
  'of 0 bytes': (file) => truncateSync(file, 0),
  'without tables'(file) {
    rmSync(file)
    const database = new Database(file)
    database.run('CREATE TABLE t (a); DROP TABLE t')
    database.close()
  },
  'cut off': (file) => truncateSync(file, Math.floor(statSync(file).size / 2)),
  'no database': (file) => writeFileSync(file, 'x'.repeat(20_000)),
  'a fresh one': (file) => copyFileSync(join(fresh, MAIN), file),
  "another instance's": (file) => copyFileSync(join(other, MAIN), file),
}
const REST = [
  'counters.db',
  'statistics.duckdb',
  'journal',
  'salts',
  'secret',
  'secret-fingerprint',
]

describe.if(testStore === 'embedded')('the files of one instance', () => {
  test.each(Object.entries(DAMAGES))(
    '%s: slugline.db beside all other files',
    async (_, damage) => {
      const dataDir = copyOf(used)
      damage(join(dataDir, MAIN))
      await expectRefused(dataDir, MAIN)
    },
    240_000,
  )

  test.each(REST)(
    '%s alone, without slugline.db or with an empty one',
    async (name) => {
      const dataDir = copyOf(used, [name])
      await expectRefused(dataDir, MAIN)
      writeFileSync(join(dataDir, MAIN), '')
      await expectRefused(dataDir, MAIN)
    },
    240_000,
  )

  test.each(['counters.db', 'statistics.duckdb', 'journal'])(
    '%s beside a fresh slugline.db',
    async (name) => {
      const dataDir = copyOf(used, [name])
      copyFileSync(join(fresh, MAIN), join(dataDir, MAIN))
      await expectRefused(dataDir, name === 'statistics.duckdb' ? name : MAIN)
    },
    240_000,
  )

  test('the log of slugline.db alone', async () => {
    const dataDir = copyOf(fresh, [])
    writeFileSync(join(dataDir, `${MAIN}-wal`), 'x'.repeat(5_000))
    await expectRefused(dataDir, MAIN)
  })

  test.each(['counters.db', 'statistics.duckdb', 'journal'])(
    "another instance's %s",
    async (name) => {
      const dataDir = copyOf(used)
      rmSync(join(dataDir, name), { recursive: true })
      cpSync(join(other, name), join(dataDir, name), { recursive: true })
      await expectRefused(dataDir, name)
    },
    240_000,
  )

  test('files from before there were ids are taken over once', async () => {
    const dataDir = copyOf(used)
    await withoutIds(dataDir)
    await expectStarts(dataDir, 4)
    rmSync(join(dataDir, 'counters.db'))
    copyFileSync(join(other, 'counters.db'), join(dataDir, 'counters.db'))
    await expectRefused(dataDir, 'counters.db')
  }, 240_000)

  test('files from before there were ids are not taken over by new links', async () => {
    const dataDir = copyOf(used)
    await withoutIds(dataDir)
    copyFileSync(join(fresh, MAIN), join(dataDir, MAIN))
    await expectRefused(dataDir, MAIN)
  }, 240_000)

  test.each([['counters.db'], ['statistics.duckdb']])(
    'without %s the instance goes on, and no number is given twice',
    async (name) => {
      const dataDir = copyOf(used)
      rmSync(join(dataDir, name))
      // An older copy of the links.
      const links = new Database(join(dataDir, MAIN))
      links.run('UPDATE workspaces SET links_made = 1')
      links.close()
      await expectStarts(dataDir, 4)
    },
    240_000,
  )

  test('a backup of it has one instance, and starts; one of several files is refused', async () => {
    const backup = join(root, 'backup')
    const backedUp = await runCommand(['backup', backup], envOf(used))
    expect(backedUp).toMatchObject({ status: 0 })
    const restored = join(root, 'restored')
    expect((await runCommand(['restore', backup], envOf(restored))).status).toBe(0)
    await expectStarts(restored, 4)
    const mixed = copyOf(used)
    copyFileSync(join(other, 'counters.db'), join(mixed, 'counters.db'))
    const refused = await runCommand(['backup', join(root, 'mixed')], envOf(mixed))
    expect(refused.status).toBe(1)
  }, 240_000)
})

/** Turns a data directory into one of the version before. */
async function withoutIds(dataDir: string): Promise<void> {
  await toBaseline(join(dataDir, MAIN), MAIN_MIGRATIONS)
  await toBaseline(join(dataDir, 'counters.db'), COUNTERS_MIGRATIONS)
  const main = new Database(join(dataDir, MAIN))
  // Later versions insert them.
  main.run("DELETE FROM instance WHERE name IN ('id', 'feed')")
  main.close()
  const statistics = await openFreed(join(dataDir, 'statistics.duckdb'))
  const connection = await statistics.connect()
  await connection.run('ALTER TABLE state DROP COLUMN instance')
  statistics.close()
  rmSync(join(dataDir, 'journal/instance'))
}

/** Makes a database again with the tables of its first migration, and what they had of its rows. */
async function toBaseline(file: string, migrations: Record<string, Migration>): Promise<void> {
  const older = `${file}.older`
  const connection = openSqlite(older)
  const getMigrations = async () => migrations
  const migrator = new Migrator({ db: connection.db, provider: { getMigrations } })
  expect((await migrator.migrateTo('0001-baseline')).error).toBeUndefined()
  const { raw } = connection
  raw.run('ATTACH ? AS newer', [file])
  const tables = raw
    .query("SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'")
    .values()
    .flat()
    .filter((name) => !/^(?:kysely|sqlite|links_search)_/.test(String(name)))
  for (const table of tables) {
    const columns = raw
      .query(
        `SELECT name FROM pragma_table_info('${table}')
         INTERSECT SELECT name FROM pragma_table_info('${table}', 'newer')`,
      )
      .values()
      .flat()
      .map((name) => `"${name}"`)
    raw.run(`DELETE FROM main.${table}`)
    raw.run(`INSERT INTO main.${table} (${columns}) SELECT ${columns} FROM newer.${table}`)
  }
  raw.run('PRAGMA wal_checkpoint(TRUNCATE)')
  connection.close()
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true })
  renameSync(older, file)
}

/** Expects that a server starts, and that the next link has this number and no click. */
async function expectStarts(dataDir: string, number: number): Promise<void> {
  const slugline = await startSlugline({}, { dataDir })
  const { key } = await slugline.createKey()
  const made = await makeLink(slugline, key, 'next')
  expect(made.status).toBe(201)
  expect(await made.json()).toMatchObject({ clicks: { total: 0 } })
  expect(await slugline.stop()).toBe(0)
  const links = new Database(join(dataDir, MAIN), { readonly: true })
  const newest = links.query('SELECT max(seq) % 4294967296 AS n FROM links').get()
  links.close()
  expect(newest).toEqual({ n: number })
}

describe.if(testStore === 'embedded' && redisMissing === undefined)('several nodes', () => {
  test('a directory and a database of different instances are refused; new nodes join', async () => {
    const [postgres, redis] = await Promise.all([sharedPostgres(), startRedis()])
    const clicks = hasClickHouse ? await startClickHouse() : null
    const settings = async (empty = true) => ({
      ...BASE_ENV,
      DATABASE_URL: await postgres.createDatabase({ empty }),
      REDIS_URL: redis.url,
      ...(clicks && { CLICKHOUSE_URL: clicks.url('clicks') }),
    })
    const env = await settings()
    const node = join(root, 'node')
    const first = await startSlugline(env, { dataDir: node })
    try {
      await makeLinks(first, 2)
      // A second one, on an empty directory.
      const second = await startSlugline(env, { dataDir: join(root, 'second') })
      expect(await second.stop()).toBe(0)
    } finally {
      expect(await first.stop()).toBe(0)
    }
    const drained = await runCommand(['drain'], { ...envOf(node), ...env })
    expect(drained.status).toBe(0)
    for (const others of [await settings(), await settings(false)]) {
      for (const command of ['serve', 'doctor', 'drain']) {
        const { status, stdout, stderr } = await runCommand([command], {
          ...envOf(copyOf(node)),
          ...others,
        })
        expect({ command, status }).toEqual({ command, status: 1 })
        expect(stdout + stderr).toContain('/node')
      }
      if (clicks === null) continue
      // A new node, but old clicks.
      const refused = await runCommand(['serve'], { ...envOf(copyOf(node, [])), ...others })
      expect(refused.status).toBe(1)
      expect(refused.stderr).toContain('ClickHouse')
    }
    // The links were restored from an older copy.
    const database = new URL(env.DATABASE_URL).pathname.slice(1)
    await postgres.admin('UPDATE workspaces SET links_made = 1', database)
    await postgres.admin('DELETE FROM links', database)
    const again = await startSlugline(env, { dataDir: node })
    const { key } = await again.createKey()
    expect((await makeLink(again, key, 'next')).status).toBe(201)
    expect(await again.stop()).toBe(0)
    const rows = await postgres.admin('SELECT max(seq) % 4294967296 AS n FROM links', database)
    expect(rows).toEqual([{ n: clicks === null ? '2' : '3' }])
    await redis.dispose()
    await clicks?.stop()
  }, 300_000)
})
