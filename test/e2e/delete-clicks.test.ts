import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { type CreatedKey, type Slugline, startSlugline } from '../harness/process.ts'

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

let slugline: Slugline
let own: CreatedKey
let other: CreatedKey
beforeAll(async () => {
  slugline = await startSlugline({ TRUSTED_PROXIES: '127.0.0.0/8' })
  own = await slugline.createKey({ workspace: 'own' })
  other = await slugline.createKey({ workspace: 'other' })
})
afterAll(() => slugline?.dispose())

async function call(method: string, path: string, key = own.key, body?: object) {
  const answer = await slugline.call(method, `/api/v1${path}`, { key, ...(body && { body }) })
  const text = await answer.text()
  return { status: answer.status, body: text === '' ? null : JSON.parse(text) }
}

const make = async (slug: string, more = {}) =>
  (await call('POST', '/links', own.key, { destination_url: 'https://e.example/', slug, ...more }))
    .body.id as string

async function visit(slug: string, address: string): Promise<void> {
  const headers = { 'user-agent': BROWSER, 'x-forwarded-for': address }
  const answer = await fetch(`${slugline.url}/${slug}`, { headers, redirect: 'manual' })
  expect(answer.status).toBe(302)
}

/** The clicks in the link, its statistics and its single clicks. */
async function numbersOf(id: string) {
  const { clicks, last_clicked_at } = (await call('GET', `/links/${id}`)).body
  const { totals } = (await call('GET', `/links/${id}/stats?bots=include`)).body
  const single = (await call('GET', `/links/${id}/clicks`)).body.data.length
  const { total, human, unique } = clicks
  return { total, human, unique, stats: totals.clicks, single, clicked: last_clicked_at !== null }
}

const left = (n: number) => ({
  ...{ total: n, human: n, unique: n, stats: n, single: n },
  clicked: n > 0,
})

const become = (id: string, wanted: object) =>
  eventually('the numbers of a link', async () =>
    Bun.deepEquals(await numbersOf(id), wanted) ? true : undefined,
  )

test('clicks before a time are deleted from counters and statistics before the response', async () => {
  const id = await make('a')
  // The process of the statistics has started: on a busy machine that takes long.
  expect(await numbersOf(id)).toEqual(left(0))
  for (const n of [1, 2, 3]) await visit('a', `198.51.100.${n}`)
  await Bun.sleep(2)
  const before = new Date().toISOString()
  await visit('a', '198.51.100.9')
  // Without waiting until the clicks are stored or counted.
  const path = `/links/${id}/clicks?before=${encodeURIComponent(before)}`
  expect((await call('DELETE', path)).status).toBe(204)
  expect(await numbersOf(id)).toEqual(left(1))
  expect((await call('DELETE', path)).status).toBe(204)
  expect(await numbersOf(id)).toEqual(left(1))
  expect((await call('DELETE', `/links/${id}/clicks?before=2999-01-01`)).status).toBe(204)
  expect(await numbersOf(id)).toEqual(left(0))
  await visit('a', '198.51.100.1')
  await become(id, left(1))
  const { data } = (await call('GET', `/links/${id}/history`)).body
  expect(data).toHaveLength(1)
}, 120_000)

test('deleting is refused for links of others, and without a time', async () => {
  const id = await make('b')
  const path = `/links/${id}/clicks`
  for (const missing of [id, `${id.slice(0, -4)}0000`]) {
    const refused = await call('DELETE', `/links/${missing}/clicks?before=2030-01-01`, other.key)
    expect([refused.status, refused.body.error.code]).toEqual([404, 'LINK_NOT_FOUND'])
  }
  expect((await call('DELETE', path)).body.error.details).toMatchObject([
    { field: 'before', code: 'REQUIRED' },
  ])
  expect((await call('DELETE', `${path}?before=soon`)).body.error.details).toMatchObject([
    { field: 'before', code: 'INVALID_TIMESTAMP' },
  ])
})

test('clicks that are only counted are deleted with the last click', async () => {
  const id = await make('c', { tracking: 'count' })
  await visit('c', '198.51.100.1')
  await become(id, { ...left(1), stats: 0, single: 0 })
  expect((await call('DELETE', `/links/${id}/clicks?before=2000-01-01`)).status).toBe(204)
  expect(await numbersOf(id)).toEqual({ ...left(1), stats: 0, single: 0 })
  expect((await call('DELETE', `/links/${id}/clicks?before=2999-01-01`)).status).toBe(204)
  expect(await numbersOf(id)).toEqual(left(0))
}, 120_000)

test('a server killed meanwhile deletes them after its start, each once', async () => {
  const id = await make('d')
  for (let round = 0; round < 3; round++) {
    for (const n of [1, 2, 3, 4]) await visit('d', `198.51.100.${n}`)
    await Bun.sleep(2)
    const before = new Date().toISOString()
    const path = `/links/${id}/clicks?before=${encodeURIComponent(before)}`
    const asked = call('DELETE', path).catch(() => null)
    await Bun.sleep(40 + round * 250)
    await slugline.kill()
    await asked
    await slugline.restart()
    // A repetition has the same effect, whether the first one was stored or not.
    expect((await call('DELETE', path)).status).toBe(204)
    expect(await numbersOf(id)).toEqual(left(0))
    await visit('d', '198.51.100.77')
    await become(id, left(1))
    expect((await call('DELETE', `/links/${id}/clicks?before=2999-01-01`)).status).toBe(204)
  }
}, 300_000)
