// Two real nodes of this version, upgraded one after the other to one with a migration more, while
// links are visited, made, changed and listed through both.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Balancer, createBalancer } from '../harness/balancer.ts'
import { eventually } from '../harness/eventually.ts'
import { makeNextVersion, type NextVersion } from '../harness/next-version.ts'
import { postgresMissing, sharedPostgres } from '../harness/postgres.ts'
import { runCommand, type Slugline, startSlugline } from '../harness/process.ts'
import { redisMissing, startRedis, type TestRedis } from '../harness/redis.ts'

const missing = postgresMissing ?? redisMissing
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/141.0.0.0 Safari/537.36'

/** Migrations that nodes of the previous version must not notice. */
const EXPANSION = [
  'ALTER TABLE links ADD COLUMN colour TEXT',
  'ALTER TABLE slugs ADD COLUMN weight SMALLINT NOT NULL DEFAULT 1',
  'ALTER TABLE workspaces ADD COLUMN motto TEXT',
  'CREATE INDEX links_colour ON links (workspace_no, colour)',
  'CREATE TABLE colours (no BIGINT PRIMARY KEY, name TEXT NOT NULL)',
  "INSERT INTO colours VALUES (1, 'red')",
]

interface Link {
  id: string
  slug: string
  destination_url: string
  clicks: { human: number }
}

describe.skipIf(missing !== undefined)(`an upgrade${missing ? ` (${missing})` : ''}`, () => {
  let redis: TestRedis
  let next: NextVersion
  let nodes: Slugline[]
  let key: string

  beforeAll(async () => {
    const postgres = await sharedPostgres()
    redis = await startRedis()
    next = makeNextVersion(EXPANSION)
    const env = {
      DATABASE_URL: await postgres.createDatabase(),
      REDIS_URL: redis.url,
      // There is a load balancer, so nodes announce that they stop.
      TRUSTED_PROXIES: '127.0.0.1',
      BASE_URL: 'http://sho.rt',
      SLUGLINE_SECRET: 'a secret that all nodes of this test have',
    }
    nodes = await Promise.all([startSlugline(env), startSlugline(env)])
    key = (await (nodes[0] as Slugline).createKey()).key
  })
  afterAll(async () => {
    await Promise.all(nodes.map((node) => node.dispose()))
    next.dispose()
    await redis.dispose()
  })

  /** Replaces a node by the next version; returns what it was doing. */
  async function upgrade(i: number): Promise<void> {
    const { dataDir, env, url, stop } = nodes[i] as Slugline
    expect(await stop()).toBe(0)
    const port = new URL(url).port
    const { program } = next
    nodes[i] = await startSlugline({ ...env, PORT: port }, { dataDir, program })
  }

  async function states(program: string): Promise<(string | null)[]> {
    const { env } = nodes[0] as Slugline
    const { stdout } = await runCommand(['migrate', '--status', '--json'], { ...env }, program)
    const { migrations } = JSON.parse(stdout) as {
      migrations: { name: string; applied_at: string | null }[]
    }
    return migrations.filter(({ name }) => name === next.migration).map((m) => m.applied_at)
  }

  test('of one node after the other fails no request, and neither loses nor duplicates anything', async () => {
    const balancer = createBalancer(nodes.map(({ url }) => url))
    const load = startLoad(balancer, key)
    await load.some()
    expect(await states(next.program)).toEqual([null])
    await upgrade(0)
    // The other one works with tables that are newer than its version.
    expect(await states(next.program)).toEqual([expect.any(String)])
    await load.some()
    await upgrade(1)
    await load.some()
    const { failed, made, edited, visits } = await load.stop()
    await balancer.stop()
    expect(failed).toEqual([])
    // Nothing was cut off: accepted requests were answered.
    expect(balancer.broken).toEqual([])
    expect(balancer.left).toBeGreaterThanOrEqual(2)

    const found = new Map<string, Link>()
    for (const node of nodes) {
      let path = '/api/v1/links?limit=100'
      while (path !== '') {
        const answer = await node.call('GET', path, { key })
        const { data, pagination } = (await answer.json()) as {
          data: Link[]
          pagination: { next_cursor: string | null; total: number }
        }
        // Each once: a repeated creation has had its effect once.
        expect(pagination.total).toBe(made.size)
        for (const link of data) found.set(link.id, link)
        const cursor = pagination.next_cursor
        path = cursor === null ? '' : `/api/v1/links?limit=100&cursor=${cursor}`
      }
      expect([...found.keys()].sort()).toEqual([...made].sort())
      for (const [id, destination] of edited) {
        expect(found.get(id)?.destination_url).toBe(destination)
      }
    }
    await eventually('every visit is counted, once', async () => {
      const ids = [...visits.keys()]
      const links = await Promise.all(
        ids.map(async (id) => {
          const answer = await (nodes[0] as Slugline).call('GET', `/api/v1/links/${id}`, { key })
          return (await answer.json()) as Link
        }),
      )
      const counted = new Map(links.map(({ id, clicks }) => [id, clicks.human]))
      return Bun.deepEquals(counted, visits) ? true : undefined
    })
    const all = [...visits.values()].reduce((sum, n) => sum + n, 0)
    await eventually('and every visit is in the statistics, once', async () => {
      const answer = await (nodes[1] as Slugline).call('GET', '/api/v1/stats?bots=include', { key })
      const { totals } = (await answer.json()) as { totals?: { clicks: number } }
      return totals?.clicks === all ? true : undefined
    })
  })

  test('can be rolled back: the previous version still starts on the newer tables', async () => {
    const { dataDir, env, url, stop } = nodes[0] as Slugline
    expect(await stop()).toBe(0)
    nodes[0] = await startSlugline({ ...env, PORT: new URL(url).port }, { dataDir })
    expect((await nodes[0].call('GET', '/api/v1/links', { key })).status).toBe(200)
  })

  test('can’t be rolled back if a migration says so', async () => {
    const node = nodes[0] as Slugline
    const database = new URL(node.env.DATABASE_URL as string).pathname.slice(1)
    const row = "('99999-less', 0, '99999-less')"
    await (await sharedPostgres()).admin(`INSERT INTO migrations VALUES ${row}`, database)
    const { status, stderr } = await node.cli('migrate', '--json')
    const { error } = JSON.parse(stderr) as { error: { code: string; message: string } }
    expect([status, error.code]).toEqual([1, 'DATA_NEWER'])
    expect(error.message).toContain('99999-less')
    // A running node continues.
    expect((await node.call('GET', '/api/v1/links', { key })).status).toBe(200)
  })
})

const WORKERS = { visit: 4, create: 2, edit: 2, list: 1 }
const PAUSE_MS = 10
/** How many requests of each kind are enough. */
const SOME = 20

/** Visits, creations, edits and lists, sequentially in each of several workers. */
function startLoad(balancer: Balancer, key: string) {
  const failed: string[] = []
  const made = new Set<string>()
  const edited = new Map<string, string>()
  const visits = new Map<string, number>()
  const slugs: { id: string; slug: string }[] = []
  const done = { visit: 0, create: 0, edit: 0, list: 0 }
  let going = true

  const json = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }

  /** The response, if it has the expected status. */
  async function expectStatus(what: string, status: number, sent: Promise<Response>) {
    try {
      const answer = await sent
      const text = await answer.text()
      if (answer.status === status) return text
      failed.push(`${what}: ${answer.status} ${text.slice(0, 200)}`)
    } catch (error) {
      failed.push(`${what}: ${error}`)
    }
    return null
  }

  async function create(): Promise<Link | null> {
    const n = done.create
    const sent = balancer.send('/api/v1/links', {
      method: 'POST',
      headers: { ...json, 'idempotency-key': crypto.randomUUID() },
      body: JSON.stringify({ destination_url: `https://a.example/${n}`, title: `Link ${n}` }),
    })
    const text = await expectStatus('create', 201, sent)
    if (text === null) return null
    const link = JSON.parse(text) as Link
    made.add(link.id)
    slugs.push(link)
    return link
  }

  const work = {
    async create() {
      await create()
    },
    async visit() {
      const link = slugs[Math.floor(Math.random() * Math.min(slugs.length, 20))]
      if (link === undefined) return
      const headers = { 'user-agent': BROWSER }
      const text = await expectStatus('visit', 302, balancer.send(`/${link.slug}`, { headers }))
      if (text !== null) visits.set(link.id, (visits.get(link.id) ?? 0) + 1)
    },
    /** Edits a separate link, so that the last confirmed edit is known. */
    async edit(own: Link) {
      const destination_url = `https://b.example/${crypto.randomUUID()}`
      const sent = balancer.send(`/api/v1/links/${own.id}`, {
        method: 'PATCH',
        headers: { ...json, 'idempotency-key': crypto.randomUUID() },
        body: JSON.stringify({ destination_url }),
      })
      if ((await expectStatus('edit', 200, sent)) !== null) edited.set(own.id, destination_url)
    },
    async list() {
      const headers = { authorization: `Bearer ${key}` }
      const search = ['', '&search=link', '&sort=clicks'][done.list % 3]
      const sent = balancer.send(`/api/v1/links?limit=20${search}`, { headers })
      await expectStatus('list', 200, sent)
    },
  }

  async function worker(kind: keyof typeof work): Promise<void> {
    const own = kind === 'edit' ? await create() : null
    while (going) {
      if (kind !== 'edit') await work[kind]()
      else if (own !== null) await work.edit(own)
      done[kind]++
      await Bun.sleep(PAUSE_MS)
    }
  }
  const workers = (Object.keys(WORKERS) as (keyof typeof work)[]).flatMap((kind) =>
    Array.from({ length: WORKERS[kind] }, () => worker(kind)),
  )

  return {
    /** Resolves when some more requests of each kind are done. */
    async some() {
      const before = { ...done }
      await eventually('some of each kind', () =>
        (Object.keys(done) as (keyof typeof work)[]).every((k) => done[k] - before[k] >= SOME)
          ? true
          : undefined,
      )
    },
    async stop() {
      going = false
      await Promise.all(workers)
      return { failed, made, edited, visits, done }
    },
  }
}
