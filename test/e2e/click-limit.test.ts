import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { writePlans } from '../harness/plans.ts'
import { type CreatedKey, type Slugline, startSlugline } from '../harness/process.ts'

const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36'

let slugline: Slugline
let own: CreatedKey

beforeAll(async () => {
  const plans = writePlans({ small: { clicks_per_month: 5 }, big: {} })
  slugline = await startSlugline({ SLUGLINE_PLANS: plans })
  own = await slugline.createKey({ plan: 'small' })
})
afterAll(() => slugline.dispose())

const get = async (path: string) => {
  const answer = await slugline.call('GET', `/api/v1${path}`, { key: own.key })
  return (await answer.json()) as { data?: { totals: { clicks: number } } }
}

test('with a limit of 5 clicks a month, 8 visits are redirected and 5 are counted and stored', async () => {
  const created = await slugline.call('POST', '/api/v1/links', {
    key: own.key,
    body: { destination_url: 'https://example.com/', slug: 'a' },
  })
  const { id } = (await created.json()) as { id: string }
  for (let i = 0; i < 8; i++) {
    const answer = await slugline.call('GET', '/a', { headers: { 'user-agent': BROWSER } })
    expect(answer.status).toBe(302)
  }
  await eventually('the clicks are stored', async () => {
    const { data } = await get('/stats')
    return data?.totals.clicks === 5 ? true : undefined
  })
  expect(await get(`/links/${id}`)).toMatchObject({ clicks: { total: 5 } })
  await slugline.stop()
  await slugline.restart()
  await eventually('the statistics answer again', async () =>
    (await get('/stats')).data?.totals.clicks === 5 ? true : undefined,
  )
})
