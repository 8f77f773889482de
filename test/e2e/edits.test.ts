import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Link } from '../../src/features/links/index.ts'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

const A = 'https://a.example/'
const B = 'https://b.example/'
const PERSON = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

let slugline: Slugline
let key: string
let otherKey: string

beforeAll(async () => {
  slugline = await startSlugline({ BASE_URL: 'https://sho.rt', SLUGLINE_DOMAINS: 'go.example' })
  key = (await slugline.createKey({ workspace: 'own' })).key
  otherKey = (await slugline.createKey({ workspace: 'other' })).key
})
afterAll(() => slugline.dispose())

async function post(body: object, asKey = key): Promise<{ status: number; link: Link }> {
  const answer = await slugline.call('POST', '/api/v1/links', {
    key: asKey,
    body: { destination_url: A, ...body },
  })
  return { status: answer.status, link: (await answer.json()) as Link }
}

async function patch({ id }: Link, body: object): Promise<{ status: number; link: Link }> {
  const answer = await slugline.call('PATCH', `/api/v1/links/${id}`, { key, body })
  return { status: answer.status, link: (await answer.json()) as Link }
}

const remove = async ({ id }: Link) =>
  (await slugline.call('DELETE', `/api/v1/links/${id}`, { key })).status

/** Where a visitor is redirected, or the status of the page shown instead. */
async function visit(slug: string, host = 'sho.rt'): Promise<string | number> {
  const answer = await slugline.call('GET', `/${encodeURIComponent(slug)}`, {
    headers: { host, 'user-agent': PERSON },
  })
  await answer.arrayBuffer()
  return answer.headers.get('location') ?? answer.status
}

describe('the next redirect', () => {
  test('reflects every change', async () => {
    const { link } = await post({ slug: 'obedient', aliases: ['obedient-too'] })
    const page = expect.any(Number)
    const steps: [change: object, then: string | number][] = [
      [{ destination_url: B }, B],
      [{ enabled: false }, 410],
      [{ fallback_url: 'https://fallback.example/ü' }, 'https://fallback.example/%C3%BC'],
      [{ fallback_url: null }, 410],
      [{ enabled: true }, B],
      [{ starts_at: '2999-01-01T00:00:00Z' }, 404],
      [{ starts_at: null, expires_at: '2020-01-01T00:00:00Z' }, 410],
      [{ expires_at: '2999-01-01T00:00:00Z' }, B],
      [{ password: 'open sesame' }, page],
      [{ password: null, expires_at: null }, B],
      [{ destination_url: A, title: 'Back' }, A],
      // Hidden in lists, but still redirecting.
      [{ archived: true }, A],
    ]
    for (const [change, then] of steps) {
      expect((await patch(link, change)).status).toBe(200)
      for (const slug of ['obedient', 'OBEDIENT-TOO']) {
        expect([change, await visit(slug)]).toEqual([change, then])
      }
    }
  })

  test('reflects a confirmed change, also under load', async () => {
    const { link } = await post({ slug: 'busy' })
    let done = false
    const crowd = Array.from({ length: 4 }, async () => {
      while (!done) await visit('busy')
    })
    try {
      for (let i = 0; i < 50; i++) {
        const destination_url = `https://example.com/${i}`
        await patch(link, { destination_url })
        expect(await visit('busy')).toBe(destination_url)
      }
    } finally {
      done = true
      await Promise.all(crowd)
    }
    expect(await remove(link)).toBe(204)
    expect(await visit('busy')).toBe(404)
  })

  test('reflects another limit of visits', async () => {
    const { link } = await post({ slug: 'few', max_clicks: 1 })
    expect([await visit('few'), await visit('few')]).toEqual([A, 410])
    expect((await patch(link, { max_clicks: 2 })).link.status).toBe('active')
    expect([await visit('few'), await visit('few')]).toEqual([A, 410])
    await patch(link, { max_clicks: null })
    expect(await visit('few')).toBe(A)
    await eventually('all three visits are counted', async () => {
      const answer = await slugline.call('GET', `/api/v1/links/${link.id}`, { key })
      const { clicks } = (await answer.json()) as Link
      return clicks.human === 3 || undefined
    })
    // Visits before the limit count as well.
    expect((await patch(link, { max_clicks: 3 })).link.status).toBe('exhausted')
    expect(await visit('few')).toBe(410)
    await patch(link, { max_clicks: 4 })
    expect([await visit('few'), await visit('few')]).toEqual([A, 410])
  })
})

describe('a replaced slug', () => {
  test('keeps redirecting, until it is removed from the aliases', async () => {
    const { link } = await post({ slug: 'Old' })
    expect((await patch(link, { slug: 'New' })).link).toMatchObject({
      slug: 'New',
      aliases: ['Old'],
      short_url: 'https://sho.rt/New',
    })
    await patch(link, { destination_url: B })
    expect([await visit('old'), await visit('new')]).toEqual([B, B])
    expect((await post({ slug: 'OLD' })).status).toBe(409)
    await patch(link, { aliases: ['third'] })
    expect([await visit('old'), await visit('new'), await visit('third')]).toEqual([404, B, B])
  })

  test('is dropped if the same request sets the aliases', async () => {
    const { link } = await post({ slug: 'dropped' })
    expect((await patch(link, { slug: 'dropped-2', aliases: [] })).link.aliases).toEqual([])
    expect([await visit('dropped'), await visit('dropped-2')]).toEqual([404, A])
  })

  test('doesn’t become an alias if only its case changes', async () => {
    const { link } = await post({ slug: 'case' })
    expect((await patch(link, { slug: 'CASE' })).link).toMatchObject({ slug: 'CASE', aliases: [] })
    expect(await visit('case')).toBe(A)
  })

  test('keeps redirecting on the previous domain', async () => {
    const { link } = await post({ slug: 'mover' })
    const moved = (await patch(link, { domain: 'go.example' })).link
    expect(moved).toMatchObject({ domain: 'go.example', aliases: ['sho.rt/mover'] })
    expect([await visit('mover'), await visit('mover', 'go.example')]).toEqual([A, A])
    expect((await post({ slug: 'mover' })).status).toBe(409)
    expect((await patch(link, { aliases: moved.aliases })).link.version).toBe(moved.version)
    await patch(link, { aliases: [] })
    expect([await visit('mover'), await visit('mover', 'go.example')]).toEqual([404, A])
  })
})

describe('a released slug', () => {
  test('is reserved for its workspace, which can use it again', async () => {
    const { link } = await post({ slug: 'held', aliases: ['held-alias', 'held-dropped'] })
    await patch(link, { aliases: ['held-alias'] })
    expect(await remove(link)).toBe(204)
    for (const slug of ['held', 'held-alias', 'held-dropped']) {
      expect(await visit(slug)).toBe(404)
      expect((await post({ slug }, otherKey)).status).toBe(409)
      expect((await post({ aliases: [slug.toUpperCase()] }, otherKey)).status).toBe(409)
      expect((await post({ slug: slug.toUpperCase(), destination_url: B })).status).toBe(201)
      expect(await visit(slug)).toBe(B)
    }
  })

  test('stays reserved after a restart', async () => {
    const { link } = await post({ slug: 'held-on' })
    await remove(link)
    expect(await slugline.stop()).toBe(0)
    await slugline.restart()
    expect((await post({ slug: 'held-on' }, otherKey)).status).toBe(409)
    expect((await post({ slug: 'held-on' })).status).toBe(201)
  })
})

test('a change that is refused changes nothing', async () => {
  const { link } = await post({ slug: 'steady', aliases: ['steady-alias'] })
  await post({ slug: 'in-use' })
  const refusals: [change: object, status: number][] = [
    [{ slug: 'fresh', aliases: ['in-use'], destination_url: B }, 409],
    [{ slug: 'in-use', destination_url: B }, 409],
    [{ destination_url: B, slug: 'API' }, 422],
    [{ destination_url: B, expires_at: 'never' }, 422],
  ]
  for (const [change, status] of refusals) {
    expect([change, (await patch(link, change)).status]).toEqual([change, status])
  }
  expect([await visit('steady'), await visit('steady-alias'), await visit('fresh')]).toEqual([
    A,
    A,
    404,
  ])
  // The visits before this are still being counted.
  const { clicks: _, last_clicked_at: __, ...fields } = link
  expect((await patch(link, {})).link).toMatchObject(fields)
})

test('one slug requested for many links goes to one of them', async () => {
  const links = await Promise.all(Array.from({ length: 10 }, () => post({})))
  const answers = await Promise.all(
    links.map(({ link }, i) => {
      const slug = i % 2 === 0 ? 'Wanted' : 'WANTED'
      return patch(link, i % 3 === 0 ? { aliases: [slug] } : { slug })
    }),
  )
  const statuses = answers.map(({ status }) => status).sort()
  expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
  expect(await visit('wanted')).toBe(A)
})
