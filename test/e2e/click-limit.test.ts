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
  return (await answer.json()) as { totals?: { clicks: number } }
}

async function visit(times: number): Promise<void> {
  for (let i = 0; i < times; i++) {
    const answer = await slugline.call('GET', '/a', { headers: { 'user-agent': BROWSER } })
    expect(answer.status).toBe(302)
  }
}

const statisticsHave = (clicks: number) =>
  eventually(`${clicks} clicks are stored`, async () => {
    const { totals } = await get('/stats')
    return totals?.clicks === clicks ? true : undefined
  })

/** Whether a recount finds no difference between counters and stored clicks. */
async function recounted(): Promise<void> {
  const { status, stdout, stderr } = await slugline.cli('clicks', 'recount', '--json')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(JSON.parse(stdout)).toMatchObject({ links: 1, mended: 0 })
}

test('with a limit of 5 clicks a month, 8 visits are redirected and 5 are counted and stored', async () => {
  const created = await slugline.call('POST', '/api/v1/links', {
    key: own.key,
    body: { destination_url: 'https://example.com/', slug: 'a' },
  })
  const { id } = (await created.json()) as { id: string }
  await visit(8)
  await statisticsHave(5)
  expect(await get(`/links/${id}`)).toMatchObject({ clicks: { total: 5 } })
  await slugline.stop()
  await recounted()
  await slugline.restart()
  const { status } = await slugline.cli('workspaces', 'set-plan', 'test', 'big')
  expect(status).toBe(0)
  await visit(2)
  await statisticsHave(7)
  expect(await get(`/links/${id}`)).toMatchObject({ clicks: { total: 7 } })
}, 120_000)
