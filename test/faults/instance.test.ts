import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { BASE_ENV, runCommand, type Slugline, startSlugline } from '../harness/process.ts'
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
}, 120_000)
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
  expect((await runCommand(['clicks', 'recount'], envOf(dataDir))).status).toBe(0)
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
    60_000,
  )

  test.each(REST)(
    '%s alone, without slugline.db or with an empty one',
    async (name) => {
      const dataDir = copyOf(used, [name])
      await expectRefused(dataDir, MAIN)
      writeFileSync(join(dataDir, MAIN), '')
      await expectRefused(dataDir, MAIN)
    },
    60_000,
  )

  test.each(['counters.db', 'statistics.duckdb', 'journal'])(
    '%s beside a fresh slugline.db',
    async (name) => {
      const dataDir = copyOf(used, [name])
      copyFileSync(join(fresh, MAIN), join(dataDir, MAIN))
      await expectRefused(dataDir, name === 'statistics.duckdb' ? name : MAIN)
    },
    60_000,
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
    60_000,
  )
})
