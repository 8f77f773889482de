import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Link } from '../../src/features/links/index.ts'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

const LINKS = '/api/v1/links'

let slugline: Slugline
let key: string
beforeAll(async () => {
  slugline = await startSlugline({
    BASE_URL: 'https://sho.rt',
    SLUGLINE_DOMAINS: 'go.example',
    TRUSTED_PROXIES: '127.0.0.1',
  })
  key = (await slugline.createKey({ workspace: 'own' })).key
})
afterAll(() => slugline.dispose())

async function create(body: object): Promise<Link> {
  const answer = await slugline.call('POST', LINKS, { key, body })
  expect(answer.status).toBe(201)
  return (await answer.json()) as Link
}

const statusOf = async (path: string) =>
  (await slugline.call('GET', path, { headers: { 'user-agent': 'Mozilla/5.0' } })).status

const responds = (path: string, status: number) =>
  eventually(`${path} answers ${status}`, async () =>
    (await statusOf(path)) === status ? true : undefined,
  )

test('blocks made by commands take effect in the running server, of each kind, until removed', async () => {
  const link = await create({ destination_url: 'https://www.evil.example/', slug: 'one' })
  const workspaces = await slugline.cli('workspaces', 'list', '--json')
  const { data } = JSON.parse(workspaces.stdout)
  const workspace = data[0].id
  const share = { subject: { link_id: link.id }, show: [] }
  const shared = await slugline.call('POST', '/api/v1/shares', { key, body: share })
  const statistics = `${new URL(((await shared.json()) as { url: string }).url).pathname}/stats`
  for (const [kind, value] of [
    ['link', 'https://sho.rt/ONE'],
    ['destination_host', 'evil.example'],
    ['host', 'sho.rt'],
    ['workspace', workspace],
  ] as const) {
    const args = ['links', 'block', value, '--kind', kind, '--reason', 'Phishing']
    expect((await slugline.cli(...args)).status).toBe(0)
    await responds('/one', 410)
    await responds(statistics, kind === 'workspace' || kind === 'host' ? 404 : 200)
    const got = await slugline.call('GET', `${LINKS}/${link.id}`, { key })
    expect(await got.json()).toMatchObject({
      status: 'blocked',
      block: { reason: 'Phishing', blocked_at: expect.stringMatching(/^2/) },
    })
    const listed = await slugline.cli('links', 'blocks', '--json')
    expect(JSON.parse(listed.stdout)).toMatchObject({ data: [{ kind, reason: 'Phishing' }] })
    expect((await slugline.cli(...args)).status).toBe(1)
    expect((await slugline.cli('links', 'unblock', value, '--kind', kind)).status).toBe(0)
    await responds('/one', 302)
    await responds(statistics, 200)
  }
  expect((await slugline.cli('links', 'unblock', 'one')).status).toBe(1)
  expect((await slugline.cli('links', 'block', 'one')).status).toBe(2)
})

test('a workspace can’t make its blocked address redirect', async () => {
  const { id } = await create({ destination_url: 'https://a.example/', slug: 'bad' })
  expect((await slugline.cli('links', 'block', 'bad', '--reason', 'Phishing')).status).toBe(0)
  await slugline.call('PATCH', `${LINKS}/${id}`, { key, body: { slug: 'moved' } })
  for (const slug of ['bad', 'moved']) expect(await statusOf(`/${slug}`)).toBe(410)
  await slugline.call('DELETE', `${LINKS}/${id}`, { key })
  for (const slug of ['bad', 'moved']) {
    expect(await statusOf(`/${slug}`)).toBe(410)
    const body = { destination_url: 'https://a.example/', slug }
    const again = await slugline.call('POST', LINKS, { key, body })
    expect(again.status).toBe(422)
    expect(await again.json()).toMatchObject({
      error: { details: [{ field: 'slug', code: 'SLUG_BLOCKED' }] },
    })
  }
  await slugline.call('POST', `${LINKS}/${id}/restore`, { key, body: {} })
  for (const slug of ['bad', 'moved']) expect(await statusOf(`/${slug}`)).toBe(410)
})

test('reports are limited per address, of IPv6 per /64', async () => {
  await create({ destination_url: 'https://a.example/', slug: 'reported' })
  const send = async (from: string) => {
    const response = await slugline.call('POST', '/reported+', {
      headers: { 'x-forwarded-for': from, accept: 'application/json' },
      body: { report: 'Phishing' },
    })
    return response.status
  }
  for (let i = 0; i < 5; i++) expect(await send(`2001:db8:1:1::${i}`)).toBe(200)
  expect(await send('2001:db8:1:1:ffff::')).toBe(429)
  expect(await send('2001:db8:1:2::')).toBe(200)
  expect(await send('203.0.113.9')).toBe(200)
})
