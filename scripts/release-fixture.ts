/**
 * Makes what this release leaves on disk and in databases, for the tests of later ones: see
 * `test/e2e/releases.test.ts`. Run it when a release is made; a folder that is there is replaced.
 * It needs PostgreSQL, Redis and ClickHouse (test/harness/clickhouse).
 */
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import manifest from '../package.json' with { type: 'json' }
import { childOf } from '../test/harness/children.ts'
import { eventually } from '../test/harness/eventually.ts'
import { type Slugline, startSlugline } from '../test/harness/process.ts'
import { answersOf, RELEASE_ENV, RELEASES, saveData } from '../test/harness/releases.ts'
import { testStore } from '../test/harness/store.ts'

const SCOPES = 'links:read,links:write,stats:read,events:read'
const BROWSERS = [
  'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
]
/** Visits that are stored, and those that only the journal has. */
const VISITS = { stored: 60, waiting: 12 }

if (Bun.env.TEST_STORE === undefined) {
  for (const store of ['embedded', 'postgres', 'clickhouse']) {
    const env = { ...process.env, TEST_STORE: store }
    const { exitCode } = Bun.spawnSync([process.execPath, import.meta.path], {
      env,
      stdout: 'inherit',
      stderr: 'inherit',
    })
    if (exitCode !== 0) process.exit(1)
  }
} else {
  await make(join(RELEASES, manifest.version, testStore))
  process.exit(0)
}

async function make(folder: string): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  const slugline = await startSlugline(RELEASE_ENV)
  try {
    const { key } = await slugline.createKey({ workspace: 'release', scopes: SCOPES })
    const ids = await fill(slugline, key)
    await visit(slugline, 0, VISITS.stored)
    await stored(slugline)
    const workers = (['click-worker', 'statistics'] as const).map((name) =>
      eventually(name, () => childOf(slugline.pid, name)),
    )
    for (const pid of await Promise.all(workers)) process.kill(pid, 'SIGSTOP')
    await visit(slugline, VISITS.stored, VISITS.waiting)
    await slugline.kill()
    for (const pid of await Promise.all(workers)) process.kill(pid, 'SIGKILL')
    await saveData(folder, slugline.dataDir, slugline.env as Record<string, string>)
    await slugline.restart()
    await visit(slugline, 0, 0)
    await stored(slugline)
    const now = Date.now()
    const day = (at: number) => new Date(at).toISOString().slice(0, 10)
    const range = `from=${day(now - 86_400_000)}&to=${day(now + 2 * 86_400_000)}`
    const paths = [
      '/api/v1/links?sort=created_at&limit=100',
      ...ids.map((id) => `/api/v1/links/${id}`),
      '/api/v1/tags',
      '/api/v1/folders',
      '/api/v1/events?limit=100',
      `/api/v1/stats?${range}`,
      `/api/v1/stats?${range}&bots=only`,
      ...ids.map((id) => `/api/v1/links/${id}/stats?${range}`),
      ...['browser', 'os', 'link', 'referrer'].map((by) => `/api/v1/stats/${by}?${range}`),
      `/api/v1/clicks?${range}&bots=include&limit=100`,
    ]
    const recorded = await answersOf(slugline, { key, paths })
    const text = JSON.stringify(recorded)
    writeFileSync(join(folder, 'answers.json.gz'), gzipSync(text, { level: 9 }))
  } finally {
    await slugline.dispose()
  }
}

/** Creates links and what belongs to them; the IDs of those that are left. */
async function fill(slugline: Slugline, key: string): Promise<string[]> {
  const call = async (method: string, path: string, body?: object) => {
    const response = await slugline.call(method, `/api/v1${path}`, { key, ...(body && { body }) })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    return response.status === 204 ? null : ((await response.json()) as { id: string })
  }
  const destination_url = 'https://example.com/'
  await call('POST', '/tags', { name: 'autumn' })
  const folder = await call('POST', '/folders', { name: 'Campaigns' })
  const ids: string[] = []
  for (const [slug, more] of [
    ['a', { tags: ['autumn'], title: 'First' }],
    ['b', { folder_id: folder?.id, redirect_status: 301 }],
    ['c', { destination_url: 'https://example.com/ünïcode?q=1#part' }],
    ['gone', {}],
  ] as const) {
    const made = await call('POST', '/links', { destination_url, slug, ...more })
    if (made !== null) ids.push(made.id)
  }
  await call('PATCH', `/links/${ids[0]}`, { title: 'First, renamed', slug: 'a2' })
  await call('DELETE', `/links/${ids.pop()}`)
  return ids
}

/** Visits, by several visitors with several programs. */
async function visit(slugline: Slugline, from: number, count: number): Promise<void> {
  for (let n = from; n < from + count; n++) {
    const response = await fetch(`${slugline.url}/${['a', 'b', 'c', 'a2'][n % 4]}`, {
      redirect: 'manual',
      headers: {
        host: 'links.example',
        'x-forwarded-for': `198.51.100.${n % 7}`,
        'user-agent': BROWSERS[n % 3] as string,
        ...(n % 5 === 0 && { referer: 'https://news.example/today' }),
      },
    })
    if (response.status > 302) throw new Error(`A visit was answered ${response.status}`)
  }
}

/** Waits until all clicks are counted and stored. */
async function stored(slugline: Slugline): Promise<void> {
  await eventually('all clicks are counted and stored', async () => {
    const text = await (await fetch(`${slugline.url}/metrics`)).text()
    const bytes = [...text.matchAll(/^slugline_(?:click|statistics)_backlog_bytes (\d+)$/gm)]
    return bytes.length === 2 && bytes.every(([, value]) => value === '0') ? true : undefined
  })
}
