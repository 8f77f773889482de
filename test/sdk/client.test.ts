import { afterEach, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  ConnectionError,
  EventsExpiredError,
  InvalidIdError,
  NotFoundError,
  PlanLimitError,
  PreconditionFailedError,
  RateLimitError,
  RedirectError,
  ServerError,
  Slugline,
  SluglineError,
  SlugTakenError,
  ValidationError,
} from '../../sdk/typescript/src/index.ts'

/** A server that answers as a test says, and the requests that it got. */
interface Fake {
  url: string
  client: Slugline
  requests: Request[]
  bodies: string[]
}

const servers: Bun.Server<undefined>[] = []
afterEach(() => {
  for (const server of servers.splice(0)) void server.stop(true)
})

type Answer = (request: Request, count: number) => Response | Promise<Response>

function fake(answer: Answer, options: { maxRetries?: number; timeoutMs?: number } = {}): Fake {
  const requests: Request[] = []
  const bodies: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      requests.push(request.clone() as Request)
      bodies.push(await request.text())
      return answer(request, requests.length)
    },
  })
  servers.push(server)
  const client = new Slugline({ baseUrl: `${server.url}`, apiKey: 'slug_test', ...options })
  return { url: `${server.url}`, client, requests, bodies }
}

function failure(status: number, code: string, more: object = {}, headers = {}): Response {
  const error = { code, message: code, request_id: 'req_1', ...more }
  return Response.json({ error }, { status, headers })
}

const NEW_LINK = { destination_url: 'https://example.com/' }

/** What a promise is rejected with. */
async function thrown(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  )
}

test('there is a method for every operation of the document', async () => {
  const document = (await Bun.file(join(import.meta.dir, '../../openapi.json')).json()) as {
    paths: Record<string, Record<string, object>>
  }
  const expected = Object.entries(document.paths)
    // What visitors of shared statistics call has no key.
    .filter(([path]) => path.startsWith('/api/v1'))
    .flatMap(([path, item]) => Object.keys(item).map((method) => `${method} ${path}`))
  const called = new Set<string>()
  const { client } = fake((request) => {
    const path = new URL(request.url).pathname
    const template = Object.keys(document.paths).find((one) => {
      const pattern = one.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, 'some_id')
      return new RegExp(`^${pattern}$`).test(path)
    })
    called.add(`${request.method.toLowerCase()} ${template ?? path}`)
    return Response.json({ data: [], pagination: { next_cursor: null } })
  })
  const call = async (value: unknown): Promise<void> => {
    if (typeof value !== 'function') {
      for (const member of Object.values(value as object)) await call(member)
      return
    }
    // An id, or an id and a dimension; bodies and queries are ignored here.
    const result: unknown = value('some_id', 'some_id')
    if (result !== null && typeof result === 'object' && 'page' in result) {
      await (result as { page(): Promise<unknown> }).page()
    } else if (result !== null && typeof result === 'object' && 'next' in result) {
      // A stream that breaks off reconnects; one request is enough.
      const { next } = result as AsyncGenerator<unknown>
      void next.call(result).catch(() => {})
      await Bun.sleep(50)
    } else await result
  }
  await call(client)
  await client.me()
  await client.index()
  await client.explain({ url: 'https://s.example/a' } as never)
  expect([...called].sort()).toEqual(expected.sort())
})

describe('lists', () => {
  test('request pages as they are needed', async () => {
    const { client, requests } = fake((request) => {
      const cursor = new URL(request.url).searchParams.get('cursor')
      const page = cursor === null ? 0 : Number(cursor)
      const next_cursor = page < 2 ? String(page + 1) : null
      return Response.json({
        data: [{ slug: `a${page}` }, { slug: `b${page}` }],
        pagination: { limit: 2, has_more: next_cursor !== null, next_cursor },
      })
    })
    const slugs: string[] = []
    for await (const { slug } of client.links.list({ tag: ['x', 'y'], limit: 2 })) {
      slugs.push(slug)
      if (slug === 'a1') break
    }
    expect(slugs).toEqual(['a0', 'b0', 'a1'])
    expect(requests).toHaveLength(2)
    expect(new URL(requests[1]?.url ?? '').search).toBe('?tag=x&tag=y&limit=2&cursor=1')
    expect((await client.links.list().page()).data).toHaveLength(2)
  })
})

describe('retries', () => {
  test.each([
    [429, 'RATE_LIMITED'],
    [503, 'SERVICE_UNAVAILABLE'],
    [500, 'INTERNAL_ERROR'],
    [409, 'IDEMPOTENCY_IN_PROGRESS'],
  ])('%i %s is repeated after Retry-After, with the same key', async (status, code) => {
    const times: number[] = []
    const { client, requests, bodies } = fake((_, count) => {
      times.push(performance.now())
      return count === 1
        ? failure(status, code, {}, { 'Retry-After': '1' })
        : Response.json({ slug: 'a' }, { status: 201 })
    })
    expect((await client.links.create(NEW_LINK)).slug).toBe('a')
    const keys = requests.map(({ headers }) => headers.get('Idempotency-Key'))
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    expect(keys).toEqual([keys[0] ?? '', keys[0] ?? ''])
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(900)
    await client.links.create(NEW_LINK)
    expect(requests[2]?.headers.get('Idempotency-Key')).not.toBe(keys[0] ?? '')
    expect(bodies).toEqual(Array(3).fill(JSON.stringify(NEW_LINK)))
  })

  test('a request without a response is repeated', async () => {
    const { client, requests } = fake(
      (_, count) =>
        count === 1
          ? new Promise<Response>(() => {})
          : Response.json({ slug: 'a' }, { status: 201 }),
      { timeoutMs: 300 },
    )
    expect((await client.links.create(NEW_LINK)).slug).toBe('a')
    expect(requests).toHaveLength(2)
  })

  test('a key is not created twice', async () => {
    const { client, requests } = fake(() => failure(503, 'SERVICE_UNAVAILABLE'))
    const error = await thrown(client.keys.create({ name: 'a', scopes: ['links:read'] } as never))
    expect(error).toBeInstanceOf(ServerError)
    expect(requests).toHaveLength(1)
    expect(requests[0]?.headers.get('Idempotency-Key')).toBeNull()
  })

  test('end: after maxRetries, and when the server asks for too long a pause', async () => {
    const { client, requests } = fake(() => failure(500, 'INTERNAL_ERROR'), { maxRetries: 1 })
    expect(await thrown(client.me())).toBeInstanceOf(ServerError)
    expect(requests).toHaveLength(2)
    const long = fake(() => failure(429, 'RATE_LIMITED', {}, { 'Retry-After': '3600' }))
    const error = (await thrown(long.client.me())) as RateLimitError
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error.retryAfterSeconds).toBe(3600)
    expect(long.requests).toHaveLength(1)
  })

  test('other errors are not repeated', async () => {
    const { client, requests } = fake(() => failure(422, 'VALIDATION_FAILED'))
    await thrown(client.links.create(NEW_LINK))
    expect(requests).toHaveLength(1)
  })
})

describe('errors', () => {
  test.each([
    [404, 'LINK_NOT_FOUND', NotFoundError],
    [409, 'SLUG_TAKEN', SlugTakenError],
    [403, 'PLAN_LIMIT_REACHED', PlanLimitError],
    [410, 'EVENTS_EXPIRED', EventsExpiredError],
    [412, 'PRECONDITION_FAILED', PreconditionFailedError],
    [422, 'A_CODE_OF_LATER', ValidationError],
    [418, 'A_STATUS_OF_LATER', SluglineError],
  ])('%i %s has its class', async (status, code, Class) => {
    const more = {
      suggestions: ['b'],
      oldest: 'evt_1',
      details: [{ field: 'slug', code: 'X', message: 'x' }],
    }
    const { client } = fake(() => failure(status, code, more))
    const error = (await thrown(client.me())) as SluglineError
    expect(error).toBeInstanceOf(Class)
    expect(error).toMatchObject({ code, status, requestId: 'req_1', details: more.details })
    if (error instanceof SlugTakenError) expect(error.suggestions).toEqual(['b'])
    if (error instanceof EventsExpiredError) expect(error.oldest).toBe('evt_1')
  })

  test('a proxy’s page has the status as its code', async () => {
    const page = () => new Response('<h1>Not here</h1>', { status: 404 })
    const error = await thrown(fake(page).client.me())
    expect(error).toMatchObject({ code: 'HTTP_404', status: 404 })
  })

  test('a page instead of JSON is an error, which is not repeated', async () => {
    const { client, requests } = fake(() => new Response('<h1>Welcome</h1>'))
    const error = await thrown(client.links.create(NEW_LINK))
    expect(error).toBeInstanceOf(SluglineError)
    expect(error).toMatchObject({ code: 'HTTP_200', status: 200 })
    expect(requests).toHaveLength(1)
  })

  test('an unreachable server is a ConnectionError', async () => {
    const client = new Slugline({ baseUrl: 'http://127.0.0.1:1', maxRetries: 0 })
    const error = (await thrown(client.plans.list().page())) as ConnectionError
    expect(error).toBeInstanceOf(ConnectionError)
    expect(error.cause).toBeDefined()
  })

  test('a redirect is an error that names the address, and the key stays here', async () => {
    const other = fake(() => Response.json({}))
    const target = `${other.url}api/v1/links`
    const { client, requests } = fake(() => Response.redirect(target, 301))
    const error = await thrown(client.links.create(NEW_LINK))
    expect(error).toBeInstanceOf(RedirectError)
    expect(error).toMatchObject({ code: 'REDIRECTED', status: 301 })
    expect((error as RedirectError).message).toContain(target)
    expect(requests).toHaveLength(1)
    expect(other.requests).toHaveLength(0)
  })

  test.each(['', '.', '..'])('an id %p, which would be another path, is refused', (id) => {
    const { client, requests } = fake(() => Response.json({}))
    expect(() => client.links.delete(id)).toThrow(TypeError)
    expect(requests).toHaveLength(0)
  })
})

describe('a request for which there is no method', () => {
  test('is authenticated, repeated and refused like others', async () => {
    const { client, requests, bodies } = fake((_, count) =>
      count === 1 ? failure(503, 'SERVICE_UNAVAILABLE') : new Response('text', { status: 201 }),
    )
    const query = { tag: ['a', 'b'], limit: undefined }
    const send = { method: 'POST', path: '/later/things', query, body: { a: 1 } }
    const response = await client.request(send)
    expect([response.status, await response.text()]).toEqual([201, 'text'])
    expect(requests.map(({ url }) => new URL(url).pathname + new URL(url).search)).toEqual(
      Array(2).fill('/api/v1/later/things?tag=a&tag=b'),
    )
    expect(bodies).toEqual(Array(2).fill('{"a":1}'))
    const [first, second] = requests.map(({ headers }) => headers.get('Idempotency-Key'))
    expect([first, requests[0]?.headers.get('Authorization')]).toEqual([
      second as string,
      'Bearer slug_test',
    ])
    const { client: refused } = fake(() => failure(404, 'NOT_FOUND'))
    expect(await thrown(refused.request({ method: 'GET', path: '/later' }))).toBeInstanceOf(
      NotFoundError,
    )
  })

  test.each(['/links/..', '/links/%2E%2e/keys', '/links/.', '/links//', '/./links'])(
    '%p, which would be another one, is refused',
    async (path) => {
      const { client, requests } = fake(() => Response.json({}))
      expect(() => client.request({ method: 'GET', path })).toThrow(InvalidIdError)
      expect(requests).toHaveLength(0)
    },
  )
})

describe('aborting', () => {
  test('ends a request, and a pause before the next one', async () => {
    const stop = new AbortController()
    const { client } = fake(() => new Promise<Response>(() => {}))
    const request = client.me({ signal: stop.signal })
    stop.abort(new Error('enough'))
    expect(await thrown(request)).toMatchObject({ message: 'enough' })
    const pause = new AbortController()
    const busy = fake(() => {
      setTimeout(() => pause.abort(new Error('enough')), 100)
      return failure(429, 'RATE_LIMITED', {}, { 'Retry-After': '50' })
    })
    expect(await thrown(busy.client.me({ signal: pause.signal }))).toMatchObject({
      message: 'enough',
    })
    expect(busy.requests).toHaveLength(1)
  })

  test('a version becomes If-Match', async () => {
    const { client, requests } = fake(() => Response.json({ slug: 'a' }))
    await client.links.update('lnk_1', { title: 'a' }, { ifMatch: 3 })
    expect(requests[0]?.headers.get('If-Match')).toBe('"3"')
  })
})

describe('events', () => {
  const stream = (...blocks: string[]) =>
    new Response(`${blocks.join('\n\n')}\n\n`, { headers: { 'Content-Type': 'text/event-stream' } })

  test('resume after the last one when the stream breaks off', async () => {
    const { client, requests } = fake((_, count) => {
      if (count === 1) return stream('retry: 2000\nid: evt_0', 'id: evt_1\ndata: {"id":"evt_1"}')
      if (count === 2) return failure(503, 'SERVICE_UNAVAILABLE')
      if (count === 3) return stream(':\nid: evt_7', ':')
      return stream('id: evt_8\ndata: {"id":"evt_8",\ndata: "type":"link.created"}')
    })
    const seen: unknown[] = []
    for await (const event of client.events.follow({ after: 'latest' })) {
      seen.push(event)
      if (seen.length === 2) break
    }
    expect(seen).toEqual([{ id: 'evt_1' }, { id: 'evt_8', type: 'link.created' }] as never)
    expect(requests.map(({ headers }) => headers.get('Last-Event-ID'))).toEqual([
      null,
      'evt_1',
      'evt_1',
      'evt_7',
    ])
  })

  test('end with an error of the first request, after its retries', async () => {
    const { client, requests } = fake(() => failure(500, 'INTERNAL_ERROR'), { maxRetries: 1 })
    expect(await thrown(client.events.follow().next())).toBeInstanceOf(ServerError)
    expect(requests).toHaveLength(2)
  })

  test('end with an error that a retry can’t mend', async () => {
    const { client } = fake(() => failure(410, 'EVENTS_EXPIRED', { oldest: null }))
    expect(await thrown(client.events.follow({ after: 'evt_1' }).next())).toBeInstanceOf(
      EventsExpiredError,
    )
  })

  test('end with the signal', async () => {
    const stop = new AbortController()
    const { client } = fake(
      () =>
        new Response(new ReadableStream({ start: (out) => out.enqueue(':\n\n') }), {
          headers: { 'Content-Type': 'text/event-stream' },
        }),
    )
    const next = client.events.follow({}, { signal: stop.signal }).next()
    setTimeout(() => stop.abort(new Error('enough')), 100)
    expect(await thrown(next)).toMatchObject({ message: 'enough' })
  })
})
