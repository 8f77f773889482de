import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Slugline, startSlugline } from '../harness/process.ts'

const BROWSER =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'
const BOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'

/** Only embedded: test/cluster/races.test.ts races on PostgreSQL, on two nodes. */
const ROUNDS = 50

let slugline: Slugline
let key: string

beforeAll(async () => {
  slugline = await startSlugline()
  key = (await slugline.createKey()).key
})
afterAll(() => slugline.dispose())

test(`200 concurrent creations of one slug and its twins, ${ROUNDS} rounds: one 201, the rest 409`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const twins = [
      `Café-${round}`,
      `CAFÉ-${round}`,
      `café-${round}`.normalize('NFD'),
      `café-${round}`,
    ]
    const statuses = await Promise.all(
      Array.from({ length: 200 }, async (_, i) => {
        const answer = await slugline.call('POST', '/api/v1/links', {
          key,
          body: { destination_url: 'https://example.com/', slug: twins[i % twins.length] },
        })
        const { error } = (await answer.json()) as { error?: { code: string } }
        return `${answer.status} ${error?.code ?? ''}`
      }),
    )
    expect(statuses.filter((status) => status === '201 ')).toHaveLength(1)
    expect(statuses.filter((status) => status === '409 SLUG_TAKEN')).toHaveLength(199)
  }
})

test('max_clicks 100 under 500 concurrent people, with bots and HEAD among them: 100 pass', async () => {
  const created = await slugline.call('POST', '/api/v1/links', {
    key,
    body: { destination_url: 'https://example.com/', slug: 'hundred', max_clicks: 100 },
  })
  expect(created.status).toBe(201)
  const visit = async (method: string, agent: string) => {
    const answer = await slugline.call(method, '/hundred', { headers: { 'user-agent': agent } })
    await answer.text()
    return answer.status
  }
  const visits = Array.from({ length: 800 }, (_, i) => {
    if (i % 8 === 3) return visit('HEAD', BROWSER).then(() => 0)
    if (i % 8 === 5 || i % 8 === 7) return visit('GET', BOT).then(() => 0)
    return visit('GET', BROWSER)
  })
  const people = (await Promise.all(visits)).filter((status) => status !== 0)
  expect(people).toHaveLength(500)
  expect(people.filter((status) => status === 302)).toHaveLength(100)
  expect(people.filter((status) => status === 410)).toHaveLength(400)
  const { id } = (await created.json()) as { id: string }
  const link = (await (await slugline.call('GET', `/api/v1/links/${id}`, { key })).json()) as {
    status: string
  }
  expect(link.status).toBe('exhausted')
})
