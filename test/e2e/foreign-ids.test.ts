import { afterAll, beforeAll, expect, test } from 'bun:test'
import openapi from '../../openapi.json'
import { eventually } from '../harness/eventually.ts'
import { type CreatedKey, type Slugline, startSlugline } from '../harness/process.ts'

const SCOPES =
  'links:read,links:write,domains:read,domains:write,keys:write,webhooks:read,webhooks:write'

let slugline: Slugline
let own: CreatedKey
let other: CreatedKey
beforeAll(async () => {
  slugline = await startSlugline({ OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8' })
  own = await slugline.createKey({ workspace: 'own', scopes: SCOPES })
  other = await slugline.createKey({ workspace: 'other', scopes: SCOPES })
})
afterAll(() => slugline?.dispose())

test("another workspace's id is answered exactly as a missing one, on every endpoint", async () => {
  const created = await slugline.call('POST', '/api/v1/links', {
    key: other.key,
    body: { destination_url: 'https://example.com/', slug: 'theirs' },
  })
  const foreign = ((await created.json()) as { id: string }).id
  const missing = `${foreign.slice(0, -4)}0000`
  const seen = async (method: string, id: string, headers: Record<string, string>) => {
    const answer = await slugline.call(method, `/api/v1/links/${id}`, {
      key: own.key,
      headers,
      ...(method === 'PATCH' ? { body: { title: 'mine' } } : {}),
      ...(id.endsWith('/appeal') ? { body: { text: 'mine' } } : {}),
    })
    const text = await answer.text()
    const id_ = answer.headers.get('x-request-id') ?? ''
    const kept = [...answer.headers].filter(
      ([name]) => !['x-request-id', 'date'].includes(name) && !name.includes('ratelimit'),
    )
    return { status: answer.status, headers: kept.sort(), text: text.replace(id_, 'ID') }
  }
  for (const method of ['GET', 'HEAD', 'PATCH', 'DELETE', 'OPTIONS', 'PUT']) {
    for (const headers of [{}, { 'if-match': '"1"' }, { 'if-none-match': '*' }]) {
      expect(await seen(method, foreign, headers)).toEqual(await seen(method, missing, headers))
    }
  }
  for (const part of [
    'stats',
    'stats/country',
    'clicks',
    'clicks.csv',
    'clicks.parquet',
    'qr.svg',
    'qr.png',
  ]) {
    for (const method of ['GET', 'HEAD']) {
      const answer = await seen(method, `${foreign}/${part}`, {})
      expect(answer.status).toBe(404)
      expect(answer).toEqual(await seen(method, `${missing}/${part}`, {}))
    }
  }
  expect(await seen('GET', `${foreign}/history`, {})).toEqual(
    await seen('GET', `${missing}/history`, {}),
  )
  const appealed = await seen('POST', `${foreign}/appeal`, {})
  expect(appealed.status).toBe(404)
  expect(appealed).toEqual(await seen('POST', `${missing}/appeal`, {}))
  const restored = await seen('POST', `${foreign}/restore`, {})
  expect(restored.status).toBe(404)
  expect(restored).toEqual(await seen('POST', `${missing}/restore`, {}))
  for (const path of ['stats', 'clicks', 'clicks.ndjson']) {
    const filtered = async (id: string) => {
      const answer = await slugline.call('GET', `/api/v1/${path}?link_id=${id}`, { key: own.key })
      return [answer.status, (await answer.text()).replaceAll(/"(from|to)":"[^"]+"/g, '$1')]
    }
    expect((await filtered(foreign))[0]).toBe(200)
    expect(await filtered(foreign)).toEqual(await filtered(missing))
  }
  const left = await slugline.call('GET', `/api/v1/links/${foreign}`, { key: other.key })
  expect(((await left.json()) as { title: string | null }).title).toBeNull()
})

type Operation = { requestBody?: { content: Record<string, { example?: unknown }> } }
const METHODS = ['get', 'post', 'put', 'patch', 'delete']

/** Creates an object of each kind with an id in a workspace; returns its location by kind. */
async function oneOfEach({ key }: CreatedKey): Promise<Record<string, string>> {
  const post = async (path: string, body: object) => {
    const answer = await slugline.call('POST', `/api/v1${path}`, { key, body })
    expect([path, answer.ok]).toEqual([path, true])
    return ((await answer.json()) as { id: string }).id
  }
  const made: Record<string, string> = {
    links: await post('/links', { destination_url: 'https://example.com/', external_id: 'theirs' }),
    tags: await post('/tags', { name: 'theirs' }),
    folders: await post('/folders', { name: 'Theirs' }),
    domains: await post('/domains', { host: 'theirs.example' }),
    keys: await post('/keys', { name: 'theirs', scopes: ['links:read'] }),
    webhooks: await post('/webhooks', { url: 'http://127.0.0.1:9/', types: ['tag.deleted'] }),
    'utm-templates': await post('/utm-templates', { name: 'Theirs' }),
  }
  made.shares = await post('/shares', { subject: { link_id: made.links } })
  const upload = await fetch(`${slugline.url}/api/v1/imports`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
    body: 'destination_url\nhttps://example.com/imported\n',
  })
  const job = ((await upload.json()) as { id: string }).id
  await eventually('the import is done', async () => {
    const answer = await slugline.call('GET', `/api/v1/jobs/${job}`, { key })
    return ((await answer.json()) as { status: string }).status === 'succeeded' ? true : undefined
  })
  return { ...made, jobs: job, imports: job }
}

test('ids in paths of the document are scoped to the workspace', async () => {
  const theirs = await oneOfEach(other)
  const theirsNow = async () =>
    Promise.all(
      Object.entries(theirs).map(async ([kind, id]) => {
        const path = kind === 'imports' ? `/api/v1/imports/${id}/rows` : `/api/v1/${kind}/${id}`
        const answer = await slugline.call('GET', path, { key: other.key })
        return [path, answer.status, await answer.text()]
      }),
    )
  const before = await theirsNow()
  const asked = async (method: string, path: string, id: string, example: unknown) => {
    const filled = path
      .replace('{id}', id)
      .replace('{external_id}', 'theirs')
      .replace('{dimension}', 'country')
    const query = method === 'delete' && path.endsWith('/clicks') ? '?before=2999-01-01' : ''
    const answer = await slugline.call(method.toUpperCase(), filled + query, {
      key: own.key,
      ...(example !== undefined && { body: example as object }),
    })
    const requestId = answer.headers.get('x-request-id') ?? ''
    const text = (await answer.text()).replaceAll(requestId, 'ID').replaceAll(id, 'ID')
    const kept = [...answer.headers].filter(
      ([name]) => !['x-request-id', 'date'].includes(name) && !name.includes('ratelimit'),
    )
    return { path, method, status: answer.status, text, headers: kept.sort() }
  }
  let count = 0
  for (const [path, operations] of Object.entries(openapi.paths as Record<string, object>)) {
    const kind = /^\/api\/v1\/([\w-]+)\/.*\{id\}/.exec(path)?.[1]
    if (kind === undefined) continue
    const foreign = theirs[kind]
    expect([path, typeof foreign]).toEqual([path, 'string'])
    const missing = `${foreign?.slice(0, -4)}0000`
    for (const method of METHODS.filter((name) => name in operations)) {
      const { requestBody } = (operations as Record<string, Operation>)[method] as Operation
      const [content] = Object.values(requestBody?.content ?? {})
      const answer = await asked(method, path, foreign as string, content?.example)
      expect([path, method, answer.status]).toEqual([path, method, 404])
      expect(answer).toEqual(await asked(method, path, missing, content?.example))
      count++
    }
  }
  expect(count).toBeGreaterThan(35)
  expect(await theirsNow()).toEqual(before)
})

test('ids in bodies are scoped to the workspace', async () => {
  const { links, tags, folders } = await oneOfEach(
    await slugline.createKey({ workspace: 'third', scopes: SCOPES }),
  )
  const send = async (method: string, path: string, body: object) => {
    const answer = await slugline.call(method, `/api/v1${path}`, { key: own.key, body })
    const { error } = (await answer.json()) as { error: { code: string; details?: object[] } }
    return [answer.status, error.code, error.details]
  }
  const tag = await slugline.call('POST', '/api/v1/tags', { key: own.key, body: { name: 'mine' } })
  const { id: mine } = (await tag.json()) as { id: string }
  const missing = (id = '') => `${id.slice(0, -4)}0000`
  const destination_url = 'https://example.com/'
  const bodies: [string, string, (id: string) => object, string | undefined][] = [
    ['POST', '/links', (folder_id) => ({ destination_url, folder_id }), folders],
    ['POST', `/tags/${mine}/merge`, (into) => ({ into }), tags],
    ['POST', '/shares', (link_id) => ({ subject: { link_id } }), links],
    ['POST', '/shares', (folder_id) => ({ subject: { folder_id } }), folders],
  ]
  for (const [method, path, body, id = ''] of bodies) {
    const answer = await send(method, path, body(id))
    expect([path, (answer[0] as number) >= 400]).toEqual([path, true])
    expect(answer).toEqual(await send(method, path, body(missing(id))))
  }
  const bulk = async (id = '') => {
    const operations = [{ op: 'delete', id }]
    const answer = await slugline.call('POST', '/api/v1/links/bulk', {
      key: own.key,
      body: { operations },
    })
    return answer.json()
  }
  expect(await bulk(links)).toEqual(await bulk(missing(links)))
})
