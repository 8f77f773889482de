import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { seedLinks } from '../../bench/lib/seed.ts'
import { Browser } from '../../src/features/accounts/testing/browser.ts'
import { systemClock } from '../../src/lib/base/clock.ts'
import { databaseFiles } from '../../src/platform/storage/index.ts'
import { createMaintenance } from '../../src/statistics/engine/duckdb/maintenance.ts'
import { statisticsFile } from '../../src/statistics/process/index.ts'
import { childOf } from '../harness/children.ts'
import { type ClickHouse, hasClickHouse, startClickHouse } from '../harness/clickhouse.ts'
import { eventually } from '../harness/eventually.ts'
import { postgresMissing, startPostgres, type TestPostgres } from '../harness/postgres.ts'
import {
  BASE_ENV,
  type CommandResult,
  SLUGLINE,
  type Slugline,
  startSlugline,
} from '../harness/process.ts'
import { redisMissing, startRedis, type TestRedis } from '../harness/redis.ts'
import { openFreed } from '../harness/statistics-file.ts'

const HOST = 'http://sho.rt'
const EMBEDDED = { DATABASE_URL: '', BASE_URL: HOST, TRUSTED_PROXIES: '127.0.0.1' }
const PASSWORD = 'correct horse battery'
const DAY_MS = 86_400_000
const BULK = 15_000
/** Tables during whose copy the move is killed. */
const TABLES = ['links', 'slugs', 'link_tags', 'audit', 'link_counters', 'clicks']
const AGENTS = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:143.0) Gecko/20100101 Firefox/143.0',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
]

interface Moved {
  complete: boolean
  source_was_running: boolean
  tables: {
    table: string
    copied: number
    source: { rows: number; checksum: string }
    target: { rows: number; checksum: string }
  }[]
}

/** Rows that a repeated move copied; each move renews the feed of events, a row of `instance`. */
function copiedAgain(tables: readonly { table: string; copied: number }[] | undefined) {
  return tables?.reduce((sum, { table, copied }) => sum + (table === 'instance' ? 0 : copied), 0)
}

describe.skipIf(postgresMissing !== undefined || redisMissing !== undefined)('move', () => {
  let postgres: TestPostgres
  let redis: TestRedis
  let clickHouse: ClickHouse | null
  let source: Slugline
  let key: string
  let to: string
  const ids: string[] = []
  let answers: Map<string, unknown>

  beforeAll(async () => {
    ;[postgres, redis, clickHouse] = await Promise.all([
      startPostgres(),
      startRedis(),
      hasClickHouse ? startClickHouse() : null,
    ])
    to = await postgres.createDatabase({ empty: true })
    source = await startSlugline(EMBEDDED)
    ;({ key } = await source.createKey())
    await source.createKey({ workspace: 'bulk' })
    await makeInstance()
    await source.stop()
    await makePast(source.dataDir)
    seedLinks(source.dataDir, { workspaceNo: 2, links: BULK })
    await source.restart()
  })
  afterAll(async () => {
    await source?.dispose()
    await Promise.all([clickHouse?.stop(), postgres?.dispose(), redis?.dispose()])
  })

  async function create(body: object, headers: Record<string, string> = {}): Promise<string> {
    const made = await source.call('POST', '/api/v1/links', { key, body, headers })
    expect(made.status).toBe(201)
    const { id } = (await made.json()) as { id: string }
    ids.push(id)
    return id
  }

  /** Links of all kinds, an account, an invitation, clicks. */
  async function makeInstance(): Promise<void> {
    const ann = browserOf(source)
    const { stdout } = await source.cli('users', 'claim-link', '--json')
    const token = new URL((JSON.parse(stdout) as { url: string }).url).hash.slice('#token='.length)
    const person = { email: 'ann@example.com', password: PASSWORD, name: 'Ann', workspace: 'Acme' }
    const claimed = await ann.post('/app/api/v1/claim', { token, ...person })
    expect(claimed.status).toBe(201)
    ann.workspace = claimed.body.workspace.id
    const invited = { email: 'bob@example.com', role: 'member' }
    expect((await ann.post('/app/api/v1/invitations', invited)).status).toBe(201)

    const destination_url = 'https://example.com/'
    await create({ destination_url, slug: 'Aaa', aliases: ['aaa-2'], tags: ['x', 'Ö'] })
    await create({ destination_url, title: 'tab\\ "quoted", ü 🦊', external_id: 'crm-1' })
    await create({ destination_url, slug: 'locked', password: 'open sesame', max_clicks: 3 })
    await create({ destination_url, slug: 'gone' })
    await create({ destination_url, slug: 'once' }, { 'idempotency-key': 'first' })
    await source.call('PATCH', `/api/v1/links/${ids[0]}`, {
      key,
      body: { slug: 'bbb', destination_url: 'https://example.com/b?c=\\N' },
    })
    await source.call('DELETE', `/api/v1/links/${ids[3]}`, { key })
    for (let i = 0; i < 60; i++) await visit(source, i % 2 ? 'bbb' : 'once', i)
    await settled(60)
  }

  /** Some clicks are months old; some of these are daily totals by now. */
  async function makePast(dataDir: string): Promise<void> {
    const database = await openFreed(statisticsFile(dataDir))
    const connection = await database.connect()
    await connection.run(`UPDATE clicks SET time = time - ${50 * DAY_MS} WHERE time % 3 = 0`)
    await connection.run(`UPDATE clicks SET time = time - ${400 * DAY_MS} WHERE time % 3 = 1`)
    const mainFile = databaseFiles(dataDir).main
    const purge = await createMaintenance({ database, mainFile, clock: systemClock })
    purge.setRetention([[1, 365]])
    while (purge.due) await purge.step()
    const [row] = await connection.run('SELECT count(*) FROM daily')
    expect(Number(row?.[0])).toBeGreaterThan(0)
    database.close()
  }

  async function visit(at: Slugline, slug: string, i = 0): Promise<Response> {
    return await at.call('GET', `/${slug}?utm_source=s${i % 4}`, {
      headers: {
        host: 'sho.rt',
        'user-agent': AGENTS[i % 3] as string,
        'x-forwarded-for': `192.0.2.${i % 20}`,
        'accept-language': i % 5 === 0 ? 'de' : 'en-GB',
        ...(i % 4 === 0 && { referer: `https://news.example/"a,b"/${i % 7}` }),
      },
    })
  }

  /** Resolves when all clicks are counted and reported. */
  async function settled(clicks: number): Promise<void> {
    await eventually(`${clicks} clicks are stored`, async () => {
      const from = new Date(Date.now() - 1_000 * DAY_MS).toISOString()
      const path = `/api/v1/stats?bots=include&interval=month&from=${from}`
      const answer = await source.call('GET', path, { key })
      if (answer.status !== 200) return undefined
      const stats = (await answer.json()) as { totals: { clicks: number } }
      if (stats.totals.clicks !== clicks) return undefined
      const list = await (await source.call('GET', '/api/v1/links', { key })).json()
      const links = (list as { data: { clicks: { total: number } }[] }).data
      return links.reduce((sum, link) => sum + link.clicks.total, 0) === clicks ? true : undefined
    })
  }

  /** The instance's state in its API. */
  async function ask(at: Slugline): Promise<Map<string, unknown>> {
    const to = encodeURIComponent(new Date(Math.ceil(Date.now() / DAY_MS) * DAY_MS).toISOString())
    const range = `bots=include&timezone=Asia/Kolkata&from=2024-01-01&to=${to}`
    const own = ids.filter((_, i) => i !== 3)
    const paths = [
      '/api/v1/links',
      '/api/v1/links?search=ü&sort=slug&order=asc',
      '/api/v1/links?tag=ö',
      '/api/v1/links?sort=clicks',
      ...own.flatMap((id) => [
        `/api/v1/links/${id}`,
        `/api/v1/links/${id}/history`,
        `/api/v1/links/${id}/stats?interval=month&${range}`,
      ]),
      `/api/v1/stats?interval=month&${range}`,
      `/api/v1/stats?interval=week&from=2024-06-01&to=${to}`,
      ...['country', 'language', 'referrer_path', 'browser', 'utm_source', 'link', 'kind'].map(
        (dimension) => `/api/v1/stats/${dimension}?${range}`,
      ),
      `/api/v1/clicks?limit=100&bots=include&from=2024-01-01&to=${to}`,
    ]
    const found = new Map<string, unknown>()
    for (const path of paths) {
      const answer = await at.call('GET', path, { key })
      const body = JSON.parse((await answer.text()).replaceAll(/"next_cursor":"[^"]*"/g, '"":0'))
      found.set(path, { status: answer.status, etag: answer.headers.get('etag'), body })
    }
    return found
  }

  const move = async (...more: string[]): Promise<CommandResult & { moved: Moved | null }> => {
    const result = await source.cli('move', '--to', to, '--json', ...more)
    const moved = result.stdout === '' ? null : (JSON.parse(result.stdout) as Moved)
    return { ...result, moved }
  }

  /** Starts a move, and kills the command once a table has new rows. */
  async function killMoveAt(table: string): Promise<number> {
    const count = async () => {
      const name = new URL(to).pathname.slice(1)
      const rows = await postgres
        .admin(`SELECT count(*)::int AS n FROM ${table}`, name)
        .catch(() => [])
      return Number(rows[0]?.n ?? 0)
    }
    const before = await count()
    const child = Bun.spawn([SLUGLINE, 'move', '--to', to], {
      env: { ...BASE_ENV, SLUGLINE_DATA_DIR: source.dataDir },
      stdout: 'ignore',
      stderr: 'ignore',
    })
    while (child.exitCode === null && (await count()) === before) await Bun.sleep(5)
    child.kill('SIGKILL')
    await child.exited
    return before
  }

  const startNode = (database: string, clicks?: string) =>
    startSlugline({
      ...EMBEDDED,
      DATABASE_URL: database,
      REDIS_URL: redis.url,
      ...(clicks !== undefined && { CLICKHOUSE_URL: clicks }),
    })

  test('of a running instance, killed twice, is completed', async () => {
    const at = [0, 0].map(() => TABLES[Math.floor(Math.random() * TABLES.length)] as string)
    for (const [i, table] of at.entries()) {
      await killMoveAt(table)
      // The source keeps working.
      expect((await visit(source, 'once', i)).status).toBe(302)
      const { status, stderr } = await (await command(to, 'keys', 'list')).result
      const code = status === 0 ? null : (JSON.parse(stderr) as { error: { code: string } })
      if (code !== null) expect([table, code.error.code]).toEqual([table, 'MOVE_UNFINISHED'])
    }
    const { moved, stderr } = await move()
    expect(stderr).toBe('')
    expect(moved).toMatchObject({ complete: true, source_was_running: true })
    const rows = new Map(moved?.tables.map(({ table, source: own }) => [table, own.rows]))
    expect(rows.get('links')).toBe(BULK + 4)
    expect(rows.get('clicks')).toBeGreaterThan(0)
    expect(rows.get('daily')).toBeGreaterThan(0)
    for (const table of moved?.tables ?? []) expect(table.target).toEqual(table.source)
  })

  test('repeated after it has stopped copies the changes, without modifying the source', async () => {
    // Only in the journal when the server is killed, unless its helpers were fast.
    await source.call('PATCH', `/api/v1/links/${ids[1]}`, { key, body: { external_id: null } })
    await create({ destination_url: 'https://example.com/', external_id: 'crm-1', slug: 'later' })
    await create({ destination_url: 'https://example.com/', slug: 'restored' })
    for (let i = 0; i < 7; i++) await visit(source, 'later', i)
    await settled(69)
    answers = await ask(source)
    const helpers = (['click-worker', 'statistics'] as const).map((name) =>
      childOf(source.pid, name),
    )
    await source.kill()
    // They have noticed, and changed nothing.
    await eventually('its helpers have ended', () => (helpers.some(isAlive) ? undefined : true))
    const { moved } = await move()
    expect(moved).toMatchObject({ complete: true, source_was_running: false })
    const copied = new Map(moved?.tables.map((table) => [table.table, table.copied]))
    expect(copied.get('users')).toBe(0)
    // Only the clicks after the watermark of the previous move.
    const clicks = moved?.tables.find((table) => table.table === 'clicks')
    expect(clicks?.copied).toBeGreaterThan(0)
    expect(clicks?.copied).toBeLessThan(clicks?.source.rows ?? 0)
    const before = filesOf(source.dataDir)
    const again = await move()
    expect(copiedAgain(again.moved?.tables)).toBe(0)
    expect(filesOf(source.dataDir)).toEqual(before)
  })

  test('a node has the same responses as the instance', async () => {
    const node = await startNode(to)
    try {
      expect(await ask(node)).toEqual(answers)
      const followed = await visit(node, 'aaa-2')
      expect([followed.status, followed.headers.get('location')]).toEqual([
        302,
        'https://example.com/b?c=\\N',
      ])
      const ann = browserOf(node)
      expect((await ann.signIn('ann@example.com', PASSWORD)).status).toBe(200)
      expect((await ann.get('/app/api/v1/invitations')).body.data).toHaveLength(1)
      // Idempotent responses are replayed; new numbers continue where they were.
      const replayed = await node.call('POST', '/api/v1/links', {
        key,
        body: { destination_url: 'https://example.com/', slug: 'once' },
        headers: { 'idempotency-key': 'first' },
      })
      expect(replayed.headers.get('idempotent-replayed')).toBe('true')
      const made = await node.call('POST', '/api/v1/links', {
        key,
        body: { destination_url: 'https://example.com/' },
      })
      expect(made.status).toBe(201)
      expect((await node.call('POST', `/api/v1/links/${ids[3]}/restore`, { key })).status).toBe(200)
      await eventually('the click is counted', async () => {
        const answer = await node.call('GET', `/api/v1/links/${ids[0]}`, { key })
        const { clicks } = (await answer.json()) as { clicks: { total: number } }
        return clicks.total === 31 ? true : undefined
      })
      // The database belongs to nodes now.
      const { status, stderr } = await move()
      expect([status, codeOf(stderr)]).toEqual([1, 'TARGET_IN_USE'])
    } finally {
      await node.dispose()
    }
  })

  test('another instance, and a database that is not empty, are refused', async () => {
    const other = await startSlugline(EMBEDDED)
    try {
      await other.createKey()
      const database = await postgres.createDatabase({ empty: true })
      expect((await other.cli('move', '--to', database, '--json')).status).toBe(0)
      const refused = await source.cli('move', '--to', database, '--json')
      expect(codeOf(refused.stderr)).toBe('TARGET_OF_ANOTHER')
      await postgres.admin('DROP TABLE moves', new URL(database).pathname.slice(1))
      const full = await source.cli('move', '--to', database, '--json')
      expect(codeOf(full.stderr)).toBe('TARGET_NOT_EMPTY')
      const nowhere = 'postgres://somebody:hunter22@127.0.0.1:1/nothing'
      const away = await source.cli('move', '--to', nowhere, '--json')
      expect(codeOf(away.stderr)).toBe('TARGET_UNAVAILABLE')
      expect(away.stdout + away.stderr).not.toContain('hunter22')
    } finally {
      await other.dispose()
    }
  })

  test.skipIf(!hasClickHouse)('clicks are copied to ClickHouse if it is given', async () => {
    const clicks = (clickHouse as ClickHouse).url('moved')
    to = await postgres.createDatabase({ empty: true })
    const { moved, stderr } = await move('--clickhouse', clicks)
    expect(stderr).toBe('')
    expect(moved).toMatchObject({ complete: true })
    const again = await move('--clickhouse', clicks)
    expect(copiedAgain(again.moved?.tables)).toBe(0)
    const elsewhere = await postgres.createDatabase({ empty: true })
    const refused = await source.cli('move', '--to', elsewhere, '--clickhouse', clicks, '--json')
    expect(codeOf(refused.stderr)).toBe('CLICKS_NOT_EMPTY')
    const node = await startNode(to, clicks)
    try {
      expect(await ask(node)).toEqual(answers)
    } finally {
      await node.dispose()
    }
  })

  /** Runs a command of a node that doesn't exist yet. */
  async function command(database: string, ...args: string[]) {
    const child = Bun.spawn([SLUGLINE, ...args, '--json'], {
      env: {
        ...BASE_ENV,
        SLUGLINE_DATA_DIR: join(source.dataDir, '..', 'nowhere'),
        DATABASE_URL: database,
        REDIS_URL: redis.url,
        BASE_URL: HOST,
      },
      stdout: 'ignore',
      stderr: 'pipe',
    })
    const result = new Response(child.stderr).text().then(async (stderr) => ({
      status: await child.exited,
      stderr,
    }))
    return { result }
  }
})

function browserOf(slugline: Slugline): Browser {
  return new Browser(
    HOST,
    {
      fetch(request: Request) {
        const { pathname, search } = new URL(request.url)
        const headers = new Headers(request.headers)
        headers.set('host', 'sho.rt')
        return fetch(new Request(slugline.url + pathname + search, request), {
          headers,
          redirect: 'manual',
        })
      },
    },
    '192.0.2.1',
  )
}

function codeOf(stderr: string): string {
  return (JSON.parse(stderr) as { error: { code: string } }).error.code
}

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 0)
  } catch {
    return false
  }
}

/** Every file of a data directory, except locks and shared memory. */
function filesOf(dataDir: string): Map<string, string> {
  const files = new Map<string, string>()
  for (const name of readdirSync(dataDir, { recursive: true }).map(String).sort()) {
    const path = join(dataDir, name)
    // Readers leave an empty log.
    if (
      !statSync(path).isFile() ||
      statSync(path).size === 0 ||
      /-shm$|^lock\.db|^server\.pid$/.test(name)
    )
      continue
    files.set(name, Bun.hash(readFileSync(path)).toString(16))
  }
  return files
}
