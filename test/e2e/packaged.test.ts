import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { postgresMissing, sharedPostgres } from '../harness/postgres.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'
import { redisMissing, startRedis } from '../harness/redis.ts'

const ROOT = resolve(import.meta.dir, '../..')
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
let folder: string
let slugline: Slugline

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slugline-packaged-'))
  const program = join(folder, 'slugline')
  const build = Bun.spawn([process.execPath, join(ROOT, 'scripts/package.ts'), program], {
    stderr: 'inherit',
    stdout: 'ignore',
  })
  expect(await build.exited).toBe(0)
  // Without a checkout nearby, and without a runtime on the path.
  slugline = await startSlugline(
    { HOME: folder, PATH: '/nowhere', TRUSTED_PROXIES: '127.0.0.1' },
    { program },
  )
})
afterAll(async () => {
  await slugline?.dispose()
  rmSync(folder, { recursive: true, force: true })
})

test('the executable alone redirects, counts, reports, searches and has its dashboard', async () => {
  const { key } = await slugline.createKey()
  const body = { destination_url: 'https://example.com/', slug: 'packaged', title: 'Übersicht' }
  const made = await slugline.call('POST', '/api/v1/links', { key, body })
  expect(made.status).toBe(201)
  const headers = { 'User-Agent': FIREFOX, 'X-Forwarded-For': '8.8.8.8' }
  const visit = await slugline.call('GET', '/packaged', { headers })
  expect([visit.status, visit.headers.get('Location')]).toEqual([302, 'https://example.com/'])

  // The native library, the country database, and its own helper processes.
  const stats = await eventually('the click is reported', async () => {
    const answer = await slugline.call('GET', '/api/v1/stats/country', { key })
    const report = (await answer.json()) as { data?: { value: string | null; clicks: number }[] }
    return report.data?.length ? report.data : undefined
  })
  expect(stats).toMatchObject([{ value: 'US', clicks: 1 }])
  const links = (await eventually('the click is counted', async () => {
    const answer = await slugline.call('GET', '/api/v1/links?search=bersich', { key })
    const list = (await answer.json()) as { data: { clicks: { total: number } }[] }
    return list.data[0]?.clicks.total === 1 ? list.data : undefined
  })) as unknown[]
  expect(links).toHaveLength(1)

  const page = await (await slugline.call('GET', '/app')).text()
  const script = /src="(\/app\/assets\/[^"]+\.js)"/.exec(page)?.[1] as string
  const asset = await slugline.call('GET', script, { headers: { 'Accept-Encoding': 'br' } })
  expect([asset.status, asset.headers.get('Content-Encoding')]).toEqual([200, 'br'])
  expect((await asset.text()).length).toBeGreaterThan(1000)
  expect((await slugline.cli('doctor')).status).toBe(0)

  const { url } = JSON.parse((await slugline.cli('users', 'claim-link', '--json')).stdout)
  const token = new URL(url).hash.slice('#token='.length)
  const account = { email: 'ann@example.com', password: 'the engine weaves patterns', name: 'Ann' }
  const claimed = await slugline.call('POST', '/app/api/v1/claim', {
    body: { token, ...account, workspace: 'Acme' },
    headers: { 'Sec-Fetch-Site': 'same-origin' },
  })
  expect(claimed.status).toBe(201)

  await slugline.cli('login', '--url', slugline.url, '--key', key)
  const archive = join(folder, 'all.tar.gz')
  const exported = await slugline.cli('export', archive, '--json')
  expect(JSON.parse(exported.stdout)).toMatchObject({ file: archive, skipped: ['domains'] })
  const files = await new Bun.Archive(await Bun.file(archive).bytes()).files()
  expect(await files.get('all/links.ndjson')?.text()).toContain('"slug":"packaged"')
})

test('it has a list of components in CycloneDX', async () => {
  const bom = await Bun.file(join(folder, 'slugline.cdx.json')).json()
  const { dependencies, version } = await Bun.file(join(ROOT, 'package.json')).json()
  expect(bom.bomFormat).toBe('CycloneDX')
  expect(bom.metadata.component).toMatchObject({ type: 'application', name: 'slugline', version })
  const purls = (bom.components as { purl: string }[]).map(({ purl }) => decodeURIComponent(purl))
  const production = Object.entries(dependencies).map(([name, at]) => `pkg:npm/${name}@${at}`)
  expect(production.filter((purl) => !purls.includes(purl))).toEqual([])
})

test('it has reports without a home directory as well', async () => {
  const bare = await startSlugline({ PATH: '/nowhere' }, { program: join(folder, 'slugline') })
  try {
    expect(Object.keys(bare.env)).not.toContain('HOME')
    const { key } = await bare.createKey()
    const body = { destination_url: 'https://example.com/', slug: 'bare' }
    expect((await bare.call('POST', '/api/v1/links', { key, body })).status).toBe(201)
    const visit = await bare.call('GET', '/bare', { headers: { 'User-Agent': FIREFOX } })
    expect(visit.status).toBe(302)
    await eventually('the click is reported', async () => {
      const answer = await bare.call('GET', '/api/v1/stats/browser', { key })
      const { data } = (await answer.json()) as { data?: { clicks: number }[] }
      return data?.[0]?.clicks === 1 ? true : undefined
    })
  } finally {
    await bare.dispose()
  }
})

test('its extracted files are private', async () => {
  const [cache = ''] = readdirSync(join(folder, '.cache'))
  expect(cache).toStartWith('slugline-')
  const [digest = ''] = readdirSync(join(folder, '.cache', cache))
  const { mode } = await Bun.file(join(folder, '.cache', cache, digest)).stat()
  expect(mode & 0o077).toBe(0)
})

const missing = postgresMissing ?? redisMissing
test.skipIf(missing !== undefined)(
  `it is a node of several as well${missing === undefined ? '' : ` (${missing})`}`,
  async () => {
    const redis = await startRedis()
    const env = {
      DATABASE_URL: await (await sharedPostgres()).createDatabase({ empty: true }),
      REDIS_URL: redis.url,
      SLUGLINE_SECRET: 'a secret that is long enough for this',
      HOME: folder,
      PATH: '/nowhere',
    }
    const node = await startSlugline(env, { program: join(folder, 'slugline') })
    try {
      const { key } = await node.createKey()
      const body = { destination_url: 'https://example.com/', slug: 'together' }
      expect((await node.call('POST', '/api/v1/links', { key, body })).status).toBe(201)
      const visit = await node.call('GET', '/together', { headers: { 'User-Agent': FIREFOX } })
      expect(visit.status).toBe(302)
      await eventually('the click is reported', async () => {
        const answer = await node.call('GET', '/api/v1/stats/browser', { key })
        const { data } = (await answer.json()) as { data?: { clicks: number }[] }
        return data?.[0]?.clicks === 1 ? true : undefined
      })
    } finally {
      await node.dispose()
      await redis.dispose()
    }
  },
)
