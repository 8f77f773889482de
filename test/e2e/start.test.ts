import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from '../harness/eventually.ts'
import { BASE_ENV, runCommand, startSlugline } from '../harness/process.ts'
import { testStore } from '../harness/store.ts'

const BROWSER = {
  'user-agent':
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
}

test('from nothing: a key, a link, a redirect, and the click counted; then again after a restart', async () => {
  const slugline = await startSlugline()
  try {
    const { key } = await slugline.createKey({ plan: 'free' })
    const created = await slugline.call('POST', '/api/v1/links', {
      key,
      body: { destination_url: 'https://example.com/a?b=%2B#c', slug: 'First' },
    })
    expect(created.status).toBe(201)
    const link = (await created.json()) as { id: string; short_url: string }
    expect(link.short_url).toBe(`${slugline.url}/First`)
    const redirect = await slugline.call('GET', '/first', { headers: BROWSER })
    expect(redirect.status).toBe(302)
    expect(redirect.headers.get('location')).toBe('https://example.com/a?b=%2B#c')

    const clicks = () =>
      eventually('the click is counted', async () => {
        const answer = await slugline.call('GET', `/api/v1/links/${link.id}`, { key })
        const body = (await answer.json()) as { clicks: Record<'total' | 'human', number> }
        return (body.clicks.total ?? 0) > 0 ? body.clicks : undefined
      })
    expect(await clicks()).toMatchObject({ total: 1, human: 1, bot: 0, unique: 1 })

    expect(await slugline.stop()).toBe(0)
    await slugline.restart()
    expect((await slugline.call('GET', '/first')).status).toBe(302)
    expect((await clicks()).human).toBeGreaterThanOrEqual(1)
  } finally {
    await slugline.dispose()
  }
})

test('a second server on the same data directory is refused, and the first one continues', async () => {
  const slugline = await startSlugline()
  try {
    const second = await runCommand(['serve'], { ...slugline.env, PORT: '0' })
    expect(second.status).toBe(1)
    expect(second.stderr).toContain(slugline.dataDir)
    expect((await slugline.call('GET', '/livez')).status).toBe(200)
  } finally {
    await slugline.dispose()
  }
})

test('a server that takes over from another loses no visits and no clicks', async () => {
  const args = ['--take-over']
  const first = await startSlugline({}, { args })
  const { dataDir, url, env } = first
  const { key } = await first.createKey()
  const body = { destination_url: 'https://example.com/', slug: 'a' }
  const created = await first.call('POST', '/api/v1/links', { key, body })
  const { id } = (await created.json()) as { id: string }
  const statuses: number[] = []
  const sent = async (n: number) => {
    for (const all = statuses.length + n; statuses.length < all; ) await Bun.sleep(1)
  }
  let isOver = false
  const visiting = Array.from({ length: 8 }, async () => {
    while (!isOver) statuses.push((await first.call('GET', '/a', { headers: BROWSER })).status)
  })
  await sent(50)
  const second = await startSlugline({ ...env, PORT: new URL(url).port }, { args, dataDir })
  try {
    expect(await first.ended()).toBe(0)
    await sent(50)
    isOver = true
    await Promise.all(visiting)
    expect(statuses.filter((status) => status !== 302)).toEqual([])
    await eventually('all visits are counted', async () => {
      const answer = await second.call('GET', `/api/v1/links/${id}`, { key })
      const { clicks } = (await answer.json()) as { clicks: { total: number } }
      return clicks.total === statuses.length || undefined
    })
  } finally {
    isOver = true
    await second.dispose()
    await first.dispose()
  }
})

test('a server that doesn’t share its port can’t be taken over', async () => {
  const slugline = await startSlugline()
  try {
    const env = { ...slugline.env, PORT: new URL(slugline.url).port }
    const second = await runCommand(['serve', '--take-over'], env)
    expect([second.status, second.stderr]).toEqual([1, expect.stringContaining(env.PORT)])
    expect((await slugline.call('GET', '/livez')).status).toBe(200)
  } finally {
    await slugline.dispose()
  }
})

test('the lock of a killed server is released', async () => {
  const slugline = await startSlugline()
  try {
    await slugline.kill()
    await slugline.restart()
    expect((await slugline.call('GET', '/readyz')).status).toBe(200)
  } finally {
    await slugline.dispose()
  }
})

// Several nodes get the secret that they share.
if (testStore === 'embedded') {
  test('the secret and the data have private modes', async () => {
    const slugline = await startSlugline()
    try {
      expect(statSync(join(slugline.dataDir, 'secret')).mode & 0o777).toBe(0o600)
    } finally {
      await slugline.dispose()
    }
  })
}

test.each([
  ['PORT', 'eighty'],
  ['PORT', '70000'],
  ['BASE_URL', 'sho.rt'],
  ['BASE_URL', 'https://sho.rt/path'],
  ['TRUSTED_PROXIES', 'everyone'],
  ['SLUGLINE_SECRET', 'short'],
  ['SLUGLINE_PLANS', '/nowhere/plans.json'],
  ['GEOIP_DATABASE', '/nowhere/city.mmdb'],
  ['GEOIP_DATABASE', import.meta.path],
  ['LOG_LEVEL', 'loud'],
  ['LOG_FORMAT', 'xml'],
])('%s=%s stops the start with the name of the variable', async (name, value) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'slugline-e2e-'))
  const { status, stderr, stdout } = await runCommand(['serve'], {
    ...BASE_ENV,
    SLUGLINE_DATA_DIR: dataDir,
    PORT: '0',
    [name]: value,
  })
  expect(status).toBe(2)
  expect(stderr).toContain(name)
  if (name === 'SLUGLINE_SECRET') expect(stderr + stdout).not.toContain(`"${value}"`)
  rmSync(dataDir, { recursive: true, force: true })
})

test('with LOG_FORMAT=json stderr has nothing but JSON, whether a server starts or not', async () => {
  const slugline = await startSlugline({ LOG_FORMAT: 'json', LOG_LEVEL: 'info' })
  try {
    const env = { ...slugline.env, PORT: '0' }
    const second = await runCommand(['serve'], env)
    const wrong = await runCommand(['serve'], { ...env, LOG_LEVEL: 'loud' })
    const failures = [second, wrong].map(({ stderr }) => JSON.parse(stderr))
    expect(failures).toMatchObject([
      { level: 'fatal', code: 'DATA_DIR_LOCKED' },
      { level: 'fatal', code: 'CONFIGURATION', details: [{ field: 'LOG_LEVEL' }] },
    ])
    expect(await slugline.stop()).toBe(0)
    const lines = slugline.output().trim().split('\n')
    const logged = lines
      .filter((line) => !line.includes('listens on'))
      .map((line) => JSON.parse(line))
    const commands = logged.flatMap(({ command = '' }) => command || [])
    expect(commands).toEqual([
      expect.stringContaining('users claim-link'),
      expect.stringContaining('keys create'),
    ])
  } finally {
    await slugline.dispose()
  }
})

test('a data directory that can’t be created stops the start with its name', async () => {
  const { status, stderr } = await runCommand(['serve'], {
    ...BASE_ENV,
    SLUGLINE_DATA_DIR: '/dev/null/data',
    PORT: '0',
  })
  expect(status).not.toBe(0)
  expect(stderr).toContain('/dev/null/data')
})
