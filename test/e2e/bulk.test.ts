import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Link, LinkList } from '../../src/features/links/index.ts'
import { eventually } from '../harness/eventually.ts'
import { writePlans } from '../harness/plans.ts'
import { runCommand, type Slugline, startSlugline } from '../harness/process.ts'

const LINKS = '/api/v1/links'
const BULK = `${LINKS}/bulk`
const URL = 'https://example.com/'

let slugline: Slugline
let key: string
let strangerKey: string

beforeAll(async () => {
  slugline = await startSlugline({
    BASE_URL: 'https://sho.rt',
    SLUGLINE_DOMAINS: 'go.example',
    SLUGLINE_PLANS: writePlans({ unlimited: {}, strict: { requests_per_minute: 1, burst: 12 } }),
  })
  key = (await slugline.createKey()).key
  strangerKey = (await slugline.createKey({ workspace: 'other' })).key
})
afterAll(() => slugline.dispose())

interface Result {
  data: { index: number; status: number; link?: Link; error?: { code: string } }[]
  summary: { succeeded: number; failed: number }
  error?: { code: string; details: { field: string; code: string; message: string }[] }
}

function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const options = { key, headers, ...(body !== undefined && { body }) }
  return slugline.call(method, path, options)
}
async function bulk(
  operations: unknown[],
  more: object = {},
  headers: Record<string, string> = {},
) {
  const answer = await send('POST', BULK, { operations, ...more }, headers)
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) as Result }
}
const create = (link: object) => ({ op: 'create', link: { destination_url: URL, ...link } })
const list = async (query: string) =>
  ((await (await send('GET', `${LINKS}?${query}`)).json()) as LinkList).data.map(({ slug }) => slug)

describe('POST /links/bulk', () => {
  test('creates a thousand links, which redirect', async () => {
    const operations = Array.from({ length: 1_000 }, (_, n) => create({ slug: `many-${n}` }))
    const { status, body } = await bulk(operations)
    expect([status, body.summary]).toEqual([200, { succeeded: 1_000, failed: 0 }])
    expect(body.data.map(({ index, link }) => `many-${index}` === link?.slug)).not.toContain(false)
    const visit = await slugline.call('GET', '/many-999', { headers: { host: 'sho.rt' } })
    expect(visit.headers.get('location')).toBe(URL)
    expect((await list('search=many-&limit=1')).length).toBe(1)
  })

  test('returns warnings, as does a restore', async () => {
    const past = { slug: 'warned', expires_at: '2020-01-01T00:00:00Z' }
    const { body } = await bulk([create(past), create({ slug: 'meant' })])
    const codes = body.data.map(({ link }) => link?.warnings?.map(({ code }) => code))
    expect(codes).toEqual([['EXPIRES_IN_PAST'], undefined])
    const path = `${LINKS}/${body.data[0]?.link?.id}`
    await send('DELETE', path)
    const restored = (await (await send('POST', `${path}/restore`)).json()) as Link
    expect(restored.warnings?.map(({ field }) => field)).toEqual(['expires_at'])
  })

  test('reports errors by index in the language of the caller', async () => {
    const operations = [create({ slug: 'own' }), create({ slug: 'own' })]
    const { body, headers } = await bulk(operations, {}, { 'accept-language': 'de' })
    expect(body.summary).toEqual({ succeeded: 1, failed: 1 })
    expect(headers.get('content-language')).toBe('de')
    expect(body.data[1]).toMatchObject({
      ...{ index: 1, status: 409 },
      error: { code: 'SLUG_TAKEN', details: [{ field: 'operations[1].link.slug' }] },
    })
  })

  test('takes effect once with a key, and replays the same bytes', async () => {
    const once = { 'idempotency-key': 'bulk-once' }
    const operations = [create({ slug: 'once' }), create({ slug: 'once' })]
    const first = await bulk(operations, {}, once)
    const again = await bulk(operations, {}, once)
    expect(first.body.summary).toEqual({ succeeded: 1, failed: 1 })
    expect([again.text, again.headers.get('idempotent-replayed')]).toEqual([first.text, 'true'])
    const other = await bulk([create({})], {}, once)
    expect(other.body.error?.code).toBe('IDEMPOTENCY_KEY_REUSED')
  })

  test('rolls everything back if it is atomic', async () => {
    const operations = [create({ slug: 'whole' }), create({ slug: 'own' })]
    const { status, body } = await bulk(operations, { atomic: true })
    expect([status, body.error?.code]).toEqual([422, 'BULK_FAILED'])
    expect(body.error?.details.map(({ field, code }) => [field, code])).toEqual([
      ['operations[1].link.slug', 'SLUG_TAKEN'],
    ])
    expect(await list('slug=whole')).toEqual([])
  })

  test('refuses too many operations, and too many bytes', async () => {
    const delivered = Array.from({ length: 1_001 }, () => ({ op: 'delete', id: 'lnk_none' }))
    const details = async (operations: unknown) =>
      (await bulk(operations as unknown[])).body.error?.details.map(({ field, code }) => [
        field,
        code,
      ])
    expect(await details(delivered)).toEqual([['operations', 'TOO_MANY']])
    expect(await details([])).toEqual([['operations', 'TOO_FEW']])
    expect(await details(undefined)).toEqual([['operations', 'REQUIRED']])
    const notes = 'x'.repeat(2_000)
    const big = Array.from({ length: 1_000 }, () => create({ notes }))
    expect((await bulk(big)).body.summary.succeeded).toBe(1_000)
    const bigger = [...big, ...big, ...big].slice(0, 2_200)
    expect((await bulk(bigger)).status).toBe(413)
  })

  test('costs one request for every 100 operations begun', async () => {
    const strict = (await slugline.createKey({ workspace: 'strict', plan: 'strict' })).key
    const cost = async (operations: number) => {
      const body = {
        operations: Array.from({ length: operations }, () => ({ op: 'delete', id: 'x' })),
      }
      const answer = await slugline.call('POST', BULK, { key: strict, body })
      await answer.arrayBuffer()
      return [answer.status, Number(answer.headers.get('x-ratelimit-remaining'))]
    }
    expect(await cost(100)).toEqual([200, 11])
    expect(await cost(101)).toEqual([200, 9])
    expect(await cost(1_000)).toEqual([429, 9])
    expect(await cost(801)).toEqual([200, 0])
  })

  test('answers for links of others like for missing ones', async () => {
    const theirs = await slugline.call('POST', LINKS, {
      key: strangerKey,
      body: { destination_url: URL, slug: 'theirs', external_id: 'their-1' },
    })
    const { id } = (await theirs.json()) as Link
    const operations = (which: object) => [
      { op: 'update', ...which, link: { title: 'mine' } },
      { op: 'delete', ...which },
    ]
    for (const [own, none] of [
      [{ id }, { id: 'lnk_none' }],
      [{ external_id: 'their-1' }, { external_id: 'none' }],
    ] as const) {
      const seen = await bulk(operations(own))
      expect(seen.text).toBe((await bulk(operations(none))).text)
      expect(seen.body.data.map(({ status }) => status)).toEqual([404, 404])
    }
  })
})

describe('POST /links/bulk/by-filter', () => {
  const byFilter = (body: object, query = '') => send('POST', `${BULK}/by-filter${query}`, body)
  const details = async (body: object) => {
    const { error } = (await (await byFilter(body)).json()) as Result
    return error?.details.map(({ field, code }) => `${field} ${code}`)
  }

  test('responds with a job, which changes the matches of the filter', async () => {
    await bulk(
      Array.from({ length: 150 }, (_, n) => create({ slug: `f-${n}`, tags: ['filtered'] })),
    )
    const body = {
      filter: { tag: ['Filtered'], status: 'active' },
      patch: { title: 'Filtered' },
      add_tags: ['more'],
      expected: 150,
    }
    const dry = await byFilter(body, '?dry_run=true')
    expect([dry.status, dry.headers.get('dry-run')]).toEqual([202, 'true'])
    const { id: none, result } = (await dry.json()) as { id: string; result: object }
    expect(result).toEqual({ succeeded: 150, failed: 0, errors: [] })
    expect((await send('GET', `/api/v1/jobs/${none}`)).status).toBe(404)
    // A link can't have so many tags: refusals have a reason, and nothing is changed.
    const many = { ...body, patch: {}, add_tags: Array.from({ length: 20 }, (_, n) => `m${n}`) }
    const refused = await byFilter(many, '?dry_run=true&lang=de')
    const { result: tried } = (await refused.json()) as { result: { errors: Result[] } }
    expect(tried).toMatchObject({ succeeded: 0, failed: 150 })
    expect(tried.errors).toHaveLength(100)
    expect(tried.errors[0]).toMatchObject({
      ...{ code: 'VALIDATION_FAILED', message: expect.any(String) },
      details: [{ field: 'tags', code: 'TOO_MANY', message: expect.stringContaining('20') }],
    })
    expect(await list('tag=m1')).toEqual([])
    const answer = await byFilter(body)
    expect(answer.status).toBe(202)
    const path = answer.headers.get('location') ?? ''
    const job = await eventually('the job is finished', async () => {
      const seen = (await (await send('GET', path)).json()) as { finished_at: string | null }
      return seen.finished_at === null ? undefined : seen
    })
    expect(job).toMatchObject({
      ...{ status: 'succeeded', progress: { done: 150, total: 150, failed: 0 }, error: null },
      result: { succeeded: 150, failed: 0, errors: [] },
    })
    expect((await list('tag=more&search=filtered&limit=100')).length).toBe(100)
  })

  test('is watched and listed on the command line', async () => {
    const job = (await (
      await byFilter({ filter: { tag: ['filtered'] }, patch: { notes: 'Seen' }, expected: 150 })
    ).json()) as { id: string }
    const env = { ...slugline.env, SLUGLINE_URL: slugline.url, SLUGLINE_API_KEY: key }
    const jobs = (...args: string[]) => runCommand(['jobs', ...args], env)
    const watched = await jobs('watch', job.id)
    expect([watched.status, watched.stdout]).toEqual([0, expect.stringContaining('succeeded')])
    expect(watched.stderr).toContain('150 of 150\n')
    const jobsBy = async (query: string) => {
      const answer = await send('GET', `/api/v1/jobs?${query}`)
      const { data = [], error } = (await answer.json()) as Pick<Result, 'error'> & {
        data?: { id: string }[]
      }
      return error?.details.map(({ field, code }) => `${field} ${code}`) ?? data.map(({ id }) => id)
    }
    const [type, other] = ['type=links.by_filter', 'type=imports.undo']
    expect(await jobsBy(`${type}&status=succeeded`)).toContain(job.id)
    expect(await jobsBy(`${other}&${type}&status=failed&status=succeeded`)).toContain(job.id)
    expect(await jobsBy(`${type}&status=queued`)).toEqual([])
    expect(await jobsBy(other)).toEqual([])
    expect((await jobsBy('type=A%20b&status=done')).sort()).toEqual([
      'status INVALID_VALUE',
      'type INVALID_VALUE',
    ])
    expect((await send('GET', `/api/v1/imports/${job.id}`)).status).toBe(404)
    expect((await jobs('list', '--status', 'queued')).stdout).not.toContain(job.id)
    expect((await jobs('list')).stdout).toMatch(
      new RegExp(`${job.id} +links\\.by_filter +- +succeeded +150 of 150`),
    )
    const got = JSON.parse((await jobs('cancel', job.id, '--json')).stdout)
    expect(got).toMatchObject({ id: job.id, status: 'succeeded' })
    const none = await jobs('get', 'job_none', '--json')
    expect([none.status, none.stderr]).toEqual([1, expect.stringContaining('JOB_NOT_FOUND')])
  })

  test('is undone, except for links that were changed since', async () => {
    const operations = ['one', 'two', 'three'].map((slug) => ({
      op: 'create',
      link: { destination_url: 'https://example.com/', slug: `undo-${slug}`, tags: ['undone'] },
    }))
    await send('POST', '/api/v1/links/bulk', { operations })
    const filter = { tag: ['undone'] }
    const jobOf = async (path: string, body: object = {}) => {
      const answer = await send('POST', path, body)
      expect(answer.status).toBe(202)
      const { id } = (await answer.json()) as { id: string }
      return await eventually('the job ends', async () => {
        const job = (await (await send('GET', `/api/v1/jobs/${id}`)).json()) as {
          id: string
          finished_at: string | null
          result: object
        }
        return job.finished_at === null ? undefined : job
      })
    }
    const stateOf = async () => {
      const { data } = (await (
        await send('GET', '/api/v1/links?tag=undone&sort=slug&order=asc')
      ).json()) as { data: { id: string; title: string | null; enabled: boolean }[] }
      return data
    }
    const path = '/api/v1/links/bulk/by-filter'
    const change = { filter, patch: { title: 'New', enabled: false }, expected: 3 }
    const changed = await jobOf(path, change)
    const [first] = await stateOf()
    await send('PATCH', `/api/v1/links/${first?.id}`, { notes: 'Later' })
    const undone = await jobOf(`${path}/${changed.id}/undo`)
    expect(undone.result).toEqual({ job_id: changed.id, restored: 2, kept: 1 })
    expect((await stateOf()).map(({ title, enabled }) => [title, enabled])).toEqual([
      ['New', false],
      [null, true],
      [null, true],
    ])
    const deleted = await jobOf(path, { filter, delete: true, expected: 3 })
    expect(await stateOf()).toEqual([])
    const back = await jobOf(`${path}/${deleted.id}/undo`)
    expect(back.result).toEqual({ job_id: deleted.id, restored: 3, kept: 0 })
    expect(await stateOf()).toHaveLength(3)
    const { status } = await send('POST', `${path}/${back.id}/undo`)
    expect(status).toBe(404)
  })

  test('refuses an unexpected count, and fields that must be unique', async () => {
    const one = { filter: { tag: ['filtered'] }, delete: true }
    const answer = await byFilter({ ...one, expected: 1 })
    expect(answer.status).toBe(409)
    expect(await answer.json()).toMatchObject({ error: { code: 'COUNT_CHANGED' } })
    expect(await details(one)).toEqual(['expected REQUIRED'])
    expect(await details({ ...one, expected: 1, patch: {} })).toEqual([
      'patch CONFLICTING_PARAMETERS',
    ])
    expect(await details({ filter: {}, expected: 1 })).toEqual(['patch REQUIRED'])
    expect(
      await details({ filter: {}, expected: 1, patch: { slug: 'x', external_id: 'y' } }),
    ).toEqual(['patch.slug UNKNOWN_FIELD', 'patch.external_id UNKNOWN_FIELD'])
    const wrong = { filter: { status: 'nice', what: 1 }, expected: 1, patch: { title: 5 } }
    expect((await details(wrong))?.sort()).toEqual([
      'filter.status INVALID_VALUE',
      'filter.what UNKNOWN_FIELD',
      'patch.title INVALID_TYPE',
    ])
    const nowhere = await byFilter({ filter: { folder_id: 'fld_none' }, delete: true, expected: 0 })
    expect(nowhere.status).toBe(202)
  })
})

describe('tags relative to the current ones', () => {
  const codes = async (answer: Response) =>
    ((await answer.json()) as Result).error?.details.map(({ field, code }) => `${field} ${code}`)
  const tagsOf = async (answer: Response) => ((await answer.json()) as Link).tags

  test('are added and removed by every change of a link', async () => {
    const body = { destination_url: URL, external_id: 'tagged', tags: ['One', 'two'] }
    const { id } = (await (await send('POST', LINKS, body)).json()) as Link
    const patch = (fields: object) => send('PATCH', `${LINKS}/${id}`, fields)
    expect(await tagsOf(await patch({ add_tags: ['three', 'ONE'], remove_tags: ['TWO'] }))).toEqual(
      ['One', 'three'],
    )
    const same = (await (await patch({ add_tags: ['one'], remove_tags: ['x'] })).json()) as Link
    expect(same.version).toBe(2)
    const external = await send('PATCH', `${LINKS}/external/tagged`, { remove_tags: ['one'] })
    expect(await tagsOf(external)).toEqual(['three'])
    const many = await bulk([{ op: 'update', id, link: { add_tags: ['four'] } }])
    expect(many.body.data[0]?.link?.tags).toEqual(['four', 'three'])
    const job = await send('POST', `${BULK}/by-filter`, {
      filter: { external_id: ['tagged'] },
      patch: { add_tags: ['five'], remove_tags: ['four'] },
      expected: 1,
    })
    const { id: jobId } = (await job.json()) as { id: string }
    const now = async () =>
      (await (await send('GET', `/api/v1/jobs/${jobId}`)).json()) as { status: string }
    await eventually(
      'the job succeeded',
      async () => (await now()).status === 'succeeded' || undefined,
    )
    expect(await tagsOf(await send('GET', `${LINKS}/${id}`))).toEqual(['five', 'three'])
    const restored = await send('POST', `${LINKS}/${id}/restore`, { version: 2 })
    expect(await tagsOf(restored)).toEqual(['One', 'three'])
  })

  test('are bounded in the result, and the only way of changing them in a request', async () => {
    const tags = Array.from({ length: 19 }, (_, n) => `t${n}`)
    const made = await send('POST', LINKS, { destination_url: URL, tags })
    const { id } = (await made.json()) as Link
    const patch = (fields: object) => send('PATCH', `${LINKS}/${id}`, fields)
    expect(await codes(await patch({ add_tags: ['a', 'b'] }))).toEqual(['tags TOO_MANY'])
    expect(await codes(await patch({ add_tags: Array(21).fill('a') }))).toEqual([
      'add_tags TOO_MANY',
    ])
    expect((await patch({ add_tags: ['a', 'b'], remove_tags: ['t0'] })).status).toBe(200)
    expect(await codes(await patch({ tags: [], add_tags: ['c'], remove_tags: ['d'] }))).toEqual([
      'add_tags CONFLICTING_PARAMETERS',
      'remove_tags CONFLICTING_PARAMETERS',
    ])
    expect(await codes(await send('POST', LINKS, { destination_url: URL, add_tags: [] }))).toEqual([
      'add_tags UNKNOWN_FIELD',
    ])
    const twice = { filter: {}, patch: { add_tags: ['a'] }, add_tags: ['b'], expected: 1 }
    expect(await codes(await send('POST', `${BULK}/by-filter`, twice))).toEqual([
      'add_tags CONFLICTING_PARAMETERS',
    ])
  })
})

describe('by external id', () => {
  const put = async (id: string, body: object, headers: Record<string, string> = {}) => {
    const answer = await send('PUT', `${LINKS}/external/${encodeURIComponent(id)}`, body, headers)
    const location = answer.headers.get('location')
    return { status: answer.status, location, body: (await answer.json()) as Link & Result }
  }

  test('a link is created once, and then changed', async () => {
    const id = 'crm/47 11'
    const made = await put(id, { destination_url: URL, title: 'One', slug: 'crm' })
    expect([made.status, made.body.external_id]).toEqual([201, id])
    expect(made.location).toBe(`${LINKS}/${made.body.id}`)
    const again = await put(id, { destination_url: `${URL}2` })
    expect([again.status, again.body.id, again.body.title]).toEqual([200, made.body.id, 'One'])
    expect(again.body.version).toBe(2)
    const same = await put(id, { destination_url: `${URL}2` })
    expect([same.status, same.body.version]).toEqual([200, 2])
    expect((await put(id, { destination_url: URL }, { 'if-match': '"1"' })).status).toBe(412)
    expect((await put(id, { destination_url: URL }, { 'if-none-match': '*' })).status).toBe(412)
    const none = await put('crm-none', { destination_url: URL }, { 'if-match': '*' })
    expect(none.status).toBe(412)
    const other = await put(id, { destination_url: URL, external_id: 'other' })
    expect(other.body.error?.details).toMatchObject([
      { field: 'external_id', code: 'INVALID_VALUE' },
    ])
    expect(await list(`external_id=${encodeURIComponent(id)}&external_id=crm-none`)).toEqual([
      'crm',
    ])
  })

  test('a link is read, changed and deleted as by its id', async () => {
    const path = `${LINKS}/external/${encodeURIComponent('erp/7 1')}`
    const none = async (method: string, as = key) => {
      const body = method === 'PATCH' ? { title: 'x' } : undefined
      const answer = await slugline.call(method, path, { key: as, ...(body && { body }) })
      return `${answer.status} ${((await answer.json()) as Result).error?.code}`
    }
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      expect(await none(method)).toBe('404 LINK_NOT_FOUND')
    }
    const made = await put('erp/7 1', { destination_url: URL, title: 'One' })
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      expect(await none(method, strangerKey)).toBe('404 LINK_NOT_FOUND')
    }
    const got = await send('GET', path)
    const byId = await send('GET', `${LINKS}/${made.body.id}`)
    expect(await got.json()).toEqual(await byId.json())
    const etag = got.headers.get('etag') ?? ''
    expect([got.status, etag]).toEqual([200, byId.headers.get('etag') ?? 'none'])
    const patch = (title: string, headers: Record<string, string> = {}, query = '') =>
      send('PATCH', `${path}${query}`, { title }, headers)
    const dry = await patch('Two', {}, '?dry_run=true')
    expect([dry.status, dry.headers.get('dry-run')]).toEqual([200, 'true'])
    const once = { 'if-match': etag, 'idempotency-key': 'external-1' }
    const first = await patch('Two', once)
    expect(await first.json()).toMatchObject({ id: made.body.id, title: 'Two', version: 2 })
    expect((await patch('Two', once)).headers.get('idempotent-replayed')).toBe('true')
    expect((await patch('Three', { 'if-match': etag })).status).toBe(412)
    expect((await send('DELETE', path, undefined, { 'if-match': etag })).status).toBe(412)
    expect((await send('DELETE', path)).status).toBe(204)
    expect((await send('DELETE', path)).status).toBe(404)
    const moved = await put('erp/7 1', { destination_url: URL })
    const onward = await send('PATCH', path, { external_id: 'erp/7 2' })
    expect(onward.status).toBe(200)
    expect(await none('GET')).toBe('404 LINK_NOT_FOUND')
    await send('DELETE', `${LINKS}/${moved.body.id}`)
  })

  test('two concurrent requests create one link', async () => {
    const all = await Promise.all(
      Array.from({ length: 8 }, () => put('race', { destination_url: URL })),
    )
    expect(all.map(({ status }) => status).sort()).toEqual([200, 200, 200, 200, 200, 200, 200, 201])
    expect(new Set(all.map(({ body }) => body.id)).size).toBe(1)
  })
})

describe('look-ups', () => {
  let link: Link
  beforeAll(async () => {
    const body = { destination_url: URL, slug: 'Looked-Up', aliases: ['also', 'go.example/there'] }
    link = (await (await send('POST', LINKS, body)).json()) as Link
    await send('POST', LINKS, { destination_url: URL, slug: 'unseen', external_id: 'u-1' })
  })
  const lookUp = async (url: string, as = key) => {
    const path = `${LINKS}/lookup?url=${encodeURIComponent(url)}`
    const answer = await slugline.call('GET', path, { key: as })
    const { id, error } = (await answer.json()) as Link & Result
    return answer.status === 200 ? id : `${answer.status} ${error?.code}`
  }

  test('find a link by its short URL, alias or other domain', async () => {
    for (const url of [
      link.short_url,
      'sho.rt/looked-up',
      'HTTPS://SHO.RT/LOOKED%2DUP?utm_source=x#y',
      'https://sho.rt/also',
      'http://go.example/there',
      'https://sho.rt/looked-up/',
      'https://sho.rt/looked-up+',
    ]) {
      expect([url, await lookUp(url)]).toEqual([url, link.id])
    }
    for (const url of [
      'https://sho.rt/none',
      'https://go.example/also',
      'https://other.example/also',
    ])
      expect(await lookUp(url)).toBe('404 LINK_NOT_FOUND')
    expect(await lookUp(link.short_url, strangerKey)).toBe('404 LINK_NOT_FOUND')
    for (const url of ['', 'https://', 'https://sho.rt/', 'https://sho.rt/%ff']) {
      expect(await lookUp(url)).toBe('422 VALIDATION_FAILED')
    }
  })

  test('find the prefix link of a path', async () => {
    const below = { destination_url: URL, slug: 'Below', match: 'prefix', aliases: ['also/in'] }
    const { id } = (await (await send('POST', LINKS, below)).json()) as Link
    for (const path of ['below', 'below/a/b', 'BELOW/a/', 'also/in/c']) {
      expect([path, await lookUp(`https://sho.rt/${path}`)]).toEqual([path, id])
    }
    expect(await lookUp('https://sho.rt/looked-up/a')).toBe('404 LINK_NOT_FOUND')
    expect(await lookUp('https://sho.rt/below/a', strangerKey)).toBe('404 LINK_NOT_FOUND')
  })

  test('list links by id, slug or alias, and external id; all given names must match', async () => {
    expect(await list(`id=${link.id}&id=lnk_none`)).toEqual(['Looked-Up'])
    expect(await list('slug=ALSO&slug=unseen&sort=slug&order=asc')).toEqual(['Looked-Up', 'unseen'])
    expect(await list('slug=there')).toEqual(['Looked-Up'])
    expect(await list('slug=also&slug=unseen&external_id=u-1')).toEqual(['unseen'])
    expect(await list(`id=${link.id}&external_id=u-1`)).toEqual([])
    expect(await list('slug=also&search=nothing')).toEqual([])
    expect(await list('id=lnk_none')).toEqual([])
    const page = (await (
      await send('GET', `${LINKS}?slug=also&slug=unseen&limit=1`)
    ).json()) as LinkList
    expect(page.pagination).toMatchObject({ total: 2, has_more: true })
    const next = `slug=unseen&slug=also&limit=1&cursor=${page.pagination.next_cursor}`
    expect([page.data[0]?.slug, ...(await list(next))].sort()).toEqual(['Looked-Up', 'unseen'])
    const many = Array.from({ length: 101 }, (_, n) => `id=lnk_${n}`).join('&')
    expect((await send('GET', `${LINKS}?${many}`)).status).toBe(422)
    expect((await send('GET', `${LINKS}?id=`)).status).toBe(422)
  })
})
