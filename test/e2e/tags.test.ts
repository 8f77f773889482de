import { afterAll, beforeAll, expect, test } from 'bun:test'
import { runCommand, type Slugline, startSlugline } from '../harness/process.ts'

/** How many links have one tag, created 1,000 per request. */
const LINKS = 5_000
const AT_ONCE = 1_000

let slugline: Slugline
let key: string
beforeAll(async () => {
  slugline = await startSlugline()
  key = (await slugline.createKey({ plan: 'unlimited' })).key
}, 300_000)
afterAll(() => slugline?.dispose())

async function send<T>(method: string, path: string, body?: object): Promise<T> {
  const answer = await slugline.call(method, `/api/v1${path}`, { key, ...(body && { body }) })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return (answer.status === 204 ? null : await answer.json()) as T
}

interface Page {
  data: { id: string; slug: string; tags: string[]; version: number; links: number; name: string }[]
  pagination: { total: number }
}

test(`a tag of ${LINKS} links is renamed immediately, while visitors are redirected`, async () => {
  for (let made = 0; made < LINKS; made += AT_ONCE) {
    const operations = Array.from({ length: AT_ONCE }, (_, n) => ({
      op: 'create',
      link: {
        destination_url: `https://example.com/${made + n}`,
        slug: `many-${made + n}`,
        tags: ['before', n % 2 === 0 ? 'even' : 'odd'],
      },
    }))
    const { summary } = await send<{ summary: object }>('POST', '/links/bulk', { operations })
    expect(summary).toEqual({ succeeded: AT_ONCE, failed: 0 })
  }
  const [tag] = (await send<Page>('GET', '/tags?search=before')).data
  expect(tag?.links).toBe(LINKS)

  let over = false
  let visits = 0
  const visitors = Array.from({ length: 4 }, async (_, visitor) => {
    for (let n = visitor; !over; n = (n + 7) % LINKS) {
      const answer = await fetch(`${slugline.url}/many-${n}`, { redirect: 'manual' })
      expect(answer.headers.get('location')).toBe(`https://example.com/${n}`)
      visits++
    }
  })
  const renamed = await send<Page['data'][number]>('PATCH', `/tags/${tag?.id}`, { name: 'after' })
  expect([renamed.name, renamed.links]).toEqual(['after', LINKS])
  // The next response has the new name for all links.
  const after = await send<Page>('GET', '/links?tag=after&limit=100&sort=slug')
  expect(after.pagination.total).toBe(LINKS)
  for (const { tags, version } of after.data) {
    expect(tags[0]).toBe('after')
    expect(version).toBe(1)
  }
  expect((await send<Page>('GET', '/links?tag=before')).pagination.total).toBe(0)
  const [even] = (await send<Page>('GET', '/tags?name=even')).data
  const merged = await send<Page['data'][number]>('POST', `/tags/${even?.id}/merge`, {
    into: tag?.id,
  })
  expect(merged.links).toBe(LINKS)
  expect((await send<Page>('GET', '/links?tag=after&tag=odd')).pagination.total).toBe(LINKS / 2)
  await send('DELETE', `/tags/${tag?.id}`)
  expect((await send<Page>('GET', '/links?tag=after')).pagination.total).toBe(0)
  over = true
  await Promise.all(visitors)
  expect(visits).toBeGreaterThan(0)
}, 600_000)

test('links are listed by tag, folder and archive on the command line', async () => {
  const folder = await send<{ id: string }>('POST', '/folders', { name: 'Campaigns' })
  const make = async (fields: object) =>
    (
      await send<{ id: string }>('POST', '/links', {
        destination_url: 'https://e.example/',
        ...fields,
      })
    ).id
  const one = await make({ folder_id: folder.id, tags: ['cli', 'x'] })
  const two = await make({ folder_id: folder.id, tags: ['cli'], archived: true })
  const env = { SLUGLINE_URL: slugline.url, SLUGLINE_API_KEY: key }
  const listed = async (...options: string[]) => {
    const { status, stdout, stderr } = await runCommand(
      ['links', 'list', ...options, '--json'],
      env,
    )
    if (status !== 0) return [status, JSON.parse(stderr || stdout).error?.code]
    return (JSON.parse(stdout) as Page).data.map(({ id }) => id)
  }
  expect(await listed('--folder', 'campaigns')).toEqual([one])
  expect(await listed('--folder', folder.id, '--archived', 'any')).toEqual([two, one])
  expect(await listed('--tag', 'cli', '--archived', 'true')).toEqual([two])
  expect(await listed('--tag', 'cli', 'x', '--limit', '5')).toEqual([one])
  expect(await listed('--tag', 'odd', '--limit', '120')).toHaveLength(120)
  expect(await listed('--folder', 'nowhere')).toEqual([1, 'FOLDER_NOT_FOUND'])
  await send('POST', '/folders', { name: 'CAMPAIGNS' })
  expect((await listed('--folder', 'campaigns'))[0]).toBe(2)
})
