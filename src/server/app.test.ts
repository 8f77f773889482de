import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import Ajv2020 from 'ajv/dist/2020'
import addFormats from 'ajv-formats'
import { createLinkService, type LinkServiceDeps } from '../features/links/index.ts'
import { DEFAULT_PLANS } from '../features/plans/defaults.ts'
import { createPlans } from '../features/plans/service.ts'
import { createCursors } from '../http/cursor.ts'
import { systemClock } from '../lib/base/clock.ts'
import { createIds } from '../lib/base/ids.ts'
import { silentLogger } from '../lib/base/logger.ts'
import { systemRandom } from '../lib/base/random.ts'
import { translate } from '../lib/i18n/index.ts'
import { syncDomains } from '../model/domains/index.ts'
import { SCOPES } from '../model/keys/scopes.ts'
import { openTestStorage } from '../platform/storage/testing/database.ts'
import { type AppDeps, createApp } from './app.ts'
import '../lib/i18n/testing/pseudo.ts'

const dir = await mkdtemp(join(tmpdir(), 'slugline-app-'))
const storage = await openTestStorage(dir)
afterAll(async () => {
  await storage.close()
  await rm(dir, { recursive: true })
})

const baseUrl = 'https://s.example'
const clock = systemClock
const random = systemRandom
const ids = createIds(clock, random)
const domains = await syncDomains(storage, baseUrl, [])
const plans = createPlans(DEFAULT_PLANS)
/** Without a limit that the tests together could reach. */
const PLAN = {
  ...plans.default,
  limits: { ...plans.default.limits, requests_per_minute: 6_000, burst: 6_000 },
}
const links = createLinkService({
  storage,
  clock,
  ids,
  random,
  domains,
  cursors: createCursors('a secret of thirty-two characters'),
  ownHosts: { hosts: domains.hosts, listenPort: 3000, basePort: 443 },
  urlRules: { schemes: ['http', 'https'], blockedHosts: [] },
} as Partial<LinkServiceDeps> as LinkServiceDeps)
await storage.write(async (tx) => {
  await tx.db
    .insertInto('workspaces')
    .values({ no: 1, id: 'wsp_1', name: 'A', name_key: 'a', plan_id: 'free', created_at: 0 })
    .execute()
})

/** The dashboard's services; the tests send no sessions. */
const dashboard = {
  keys: { restrictionsOf: async () => null },
  accounts: {
    sessions: { personOf: async () => null, memberOf: async () => null },
    authenticate: async () => new Response('auth'),
  },
} as unknown as AppDeps

const app = createApp({
  ...dashboard,
  storage,
  clock,
  ids,
  logger: silentLogger,
  authenticate: async (credential) =>
    credential === 'good'
      ? {
          kind: 'api_key',
          keyId: 'key_1',
          scopes: new Set(SCOPES),
          workspace: { no: 1, id: 'wsp_1', language: null, plan: PLAN },
        }
      : null,
  clientAddress: (peer) => peer,
  anonymousPerMinute: 600,
  baseUrl,
  pseudoLocales: true,
  plans,
  links,
})

function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const request = new Request(`http://localhost${path}`, { method, headers })
  return app.fetch(request, { peer: '192.0.2.1' })
}

describe('the application', () => {
  test('keeps a link from its creation to its deletion', async () => {
    const headers = { Authorization: 'Bearer good', 'Content-Type': 'application/json' }
    const send = (method: string, path: string, body?: object) =>
      app.fetch(
        new Request(`http://localhost${path}`, {
          method,
          headers,
          ...(body !== undefined && { body: JSON.stringify(body) }),
        }),
        { peer: '192.0.2.1' },
      )
    const created = await send('POST', '/api/v1/links', { destination_url: 'https://a.example/' })
    expect(created.status).toBe(201)
    const link = (await created.json()) as { id: string }
    const path = `/api/v1/links/${link.id}`
    expect(created.headers.get('Location')).toEndWith(path)
    expect((await (await send('GET', path)).json()) as unknown).toEqual(link)
    expect((await send('GET', '/api/v1/links')).status).toBe(200)
    const patched = await send('PATCH', path, { title: 'T' })
    expect(await patched.json()).toMatchObject({ title: 'T', version: 2 })
    expect((await send('DELETE', path)).status).toBe(204)
    expect((await send('GET', path)).status).toBe(404)
  })

  test('requires a key on every endpoint except the plans', async () => {
    expect((await get('/api/v1/plans')).status).toBe(200)
    for (const [method, path] of [
      ['GET', '/api/v1/links'],
      ['POST', '/api/v1/links'],
      ['GET', '/api/v1/links/lnk_1'],
      ['PATCH', '/api/v1/links/lnk_1'],
      ['DELETE', '/api/v1/links/lnk_1'],
    ] as const) {
      expect((await get(path, {}, method)).status).toBe(401)
    }
  })

  test('limits the dashboard’s API to sessions of this origin', async () => {
    const codeOf = async (response: Response | Promise<Response>) =>
      ((await (await response).json()) as { error: { code: string } }).error.code
    expect(await codeOf(get('/app/api/v1/links'))).toBe('SIGN_IN_REQUIRED')
    // A key is not a session.
    const headers = { Authorization: 'Bearer good' }
    expect(await codeOf(get('/app/api/v1/links', headers))).toBe('SIGN_IN_REQUIRED')
    expect(await codeOf(get('/app/api/v1/links', {}, 'POST'))).toBe('CROSS_SITE_REQUEST')
    expect(await codeOf(get('/app/api/v1/links', { Origin: baseUrl }, 'POST'))).toBe(
      'SIGN_IN_REQUIRED',
    )
    expect(await codeOf(get('/app/api/nothing'))).toBe('NOT_FOUND')
    expect(await codeOf(get('/app/anything'))).toBe('NOT_FOUND')
    expect(await codeOf(get('/app/api/auth/get-session', {}, 'POST'))).toBe('CROSS_SITE_REQUEST')
    const mounted = await get('/app/api/auth/get-session')
    expect(await mounted.text()).toBe('auth')
    const { headers: sent } = await get('/app/api/v1/plans')
    expect(sent.get('Cache-Control')).toBe('no-store')
    expect(sent.get('Access-Control-Allow-Origin')).toBeNull()
    expect(mounted.headers.get('Cache-Control')).toBe('no-store')
    expect((await get('/api/v1/session', headers)).status).toBe(404)
  })

  test('has only translated texts: en-XA changes every word', async () => {
    const messages: string[] = []
    for (const { method = 'GET', path = LINKS, headers, body } of BAD_REQUESTS) {
      const request = new Request(`http://localhost${path}`, {
        method,
        headers: { Authorization: 'Bearer good', 'Accept-Language': 'en-XA', ...headers },
        ...(body !== undefined && { body }),
      })
      const response = await app.fetch(request, { peer: '192.0.2.1' })
      expect(response.headers.get('Content-Language')).toBe('en-XA')
      const { error } = (await response.json()) as {
        error: ShownError & { details?: ShownError[] }
      }
      for (const { message } of [error, ...(error.details ?? [])]) messages.push(message)
    }
    expect(messages.length).toBeGreaterThan(50)
    for (const message of messages) expect(message.replaceAll(VALUES, '')).not.toMatch(/[A-Za-z]/)

    const { data } = (await (await get('/api/v1/plans?lang=en-XA')).json()) as {
      data: { name: string; description: string }[]
    }
    for (const { name, description } of data) expect(name + description).not.toMatch(/[A-Za-z]/)
  })

  test('serves its OpenAPI document, with an entity tag', async () => {
    const response = await get('/openapi.json')
    expect(response.headers.get('Content-Type')).toBe('application/json')
    const text = await response.text()
    expect(await (await get('/api/v1/openapi.json')).text()).toBe(text)
    const document = JSON.parse(text) as { openapi: string; paths: Record<string, object> }
    expect(document.openapi).toBe('3.1.0')
    const paths = Object.keys(document.paths)
    for (const path of ['/api/v1/links', '/api/v1/links/{id}', '/api/v1/plans']) {
      expect(paths).toContain(path)
    }
    // Neither endpoints nor codes of the dashboard's API are in it.
    expect(
      paths.filter((path) => /session|claim|account|invitations|\/app(\/|$)/.test(path)),
    ).toEqual([])
    expect(text).not.toContain('SIGN_IN_REQUIRED')
    const headers = { 'If-None-Match': response.headers.get('ETag') as string }
    expect((await get('/openapi.json', headers)).status).toBe(304)
    expect((await get('/openapi.json', {}, 'POST')).status).toBe(405)
  })

  test('is rate-limited for the document, by address', async () => {
    const ask = (peer: string) =>
      app.fetch(new Request('http://localhost/openapi.json', { method: 'HEAD' }), { peer })
    const answers = await Promise.all(Array.from({ length: 601 }, () => ask('192.0.2.9')))
    expect(answers.map(({ status }) => status)).toEqual([...Array(600).fill(200), 429])
    expect((await ask('192.0.2.10')).status).toBe(200)
  })

  test('describes every status that a redirect may have', async () => {
    const { components } = (await (await get('/openapi.json')).json()) as {
      components: { schemas: Record<string, { properties: Record<string, object> }> }
    }
    // The values are named, because requests share them.
    expect(components.schemas.LinkRedirectStatus).toMatchObject({ enum: [301, 302, 307, 308] })
    for (const name of ['LinkCreate', 'LinkPatch']) {
      const status = components.schemas[name]?.properties.redirect_status
      expect(JSON.stringify(status), name).toContain('/LinkRedirectStatus"')
    }
    const read = JSON.stringify(components.schemas.Link?.properties.redirect_status)
    expect(read).toMatch(/num":\[301,302,307,308\]|LinkRedirectStatus/)
  })

  test('describes the requests of each endpoint by example', async () => {
    const { paths } = (await (await get('/openapi.json')).json()) as {
      paths: Record<
        string,
        Record<
          string,
          { requestBody?: { content: Record<string, { schema?: { format?: string } }> } }
        >
      >
    }
    for (const operations of Object.values(paths)) {
      for (const { requestBody } of Object.values(operations)) {
        if (requestBody === undefined) continue
        for (const content of Object.values(requestBody.content)) {
          // A file isn't one JSON value, which generators would read an example as.
          if (content.schema?.format !== 'binary') expect(content).toHaveProperty('example')
        }
      }
    }
  })

  test('has only examples that are valid for their schema', async () => {
    const document = (await (await get('/openapi.json')).json()) as Described
    const ajv = new Ajv2020({ strict: false })
    addFormats.default(ajv)
    ajv.addSchema(document, 'openapi')
    const schemas = document.components.schemas
    for (const [name, { example, properties = {} }] of Object.entries(schemas)) {
      const at = `openapi#/components/schemas/${name}`
      if (example !== undefined) expect(ajv.validate(at, example), name).toBe(true)
      for (const [member, { example }] of Object.entries(properties)) {
        if (example === undefined) continue
        expect(ajv.validate(`${at}/properties/${member}`, example), member).toBe(true)
      }
    }
  })

  test('serves a small document, for this instance', async () => {
    const response = await get('/openapi.json', { 'Accept-Encoding': 'gzip, br, zstd' })
    expect(response.headers.get('Content-Encoding')).toBe('br')
    expect(response.headers.get('Cache-Control')).toBe('public, max-age=300')
    const sent = await response.bytes()
    const text = brotliDecompressSync(sent).toString()
    const { servers, paths } = JSON.parse(text) as { servers: object[]; paths: object }
    const operations = Object.values(paths).flatMap((path) => Object.keys(path)).length
    expect(sent.length).toBeLessThanOrEqual(360 * operations)
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(4_000 * operations)
    expect(servers).toEqual([{ url: 'https://s.example' }])
    expect(text).not.toContain('go.example.com')
    const gzip = await get('/openapi.json', { 'Accept-Encoding': 'gzip' })
    expect(gunzipSync(await gzip.bytes()).toString()).toBe(text)
  })

  test('has no nullable named objects, which client generators drop', async () => {
    const { components } = (await (await get('/openapi.json')).json()) as {
      components: { schemas: Record<string, { type?: string | string[] }> }
    }
    const nullable = Object.entries(components.schemas).filter(([, { type }]) =>
      ['object', 'null'].every((name) => [type].flat().includes(name)),
    )
    expect(nullable.map(([name]) => name)).toEqual([])
  })

  test('reports `integer` as the expected type of integers', async () => {
    type Schema = { type?: string | string[]; properties?: Record<string, Schema> }
    type Parameter = { $ref?: string; name: string; in: string; schema: Schema }
    const { paths, components } = (await (await get('/openapi.json')).json()) as {
      paths: Record<string, Record<string, Record<string, object | undefined>>>
      components: Record<string, Record<string, unknown>>
    }
    const isInteger = ({ type = [] }: Schema) => [type].flat().includes('integer')
    const resolved = <T extends { $ref?: string }>(part: T): T => {
      const [, , kind, name] = part.$ref?.split('/') ?? []
      return kind && name ? (components[kind]?.[name] as T) : part
    }
    const seen: string[] = []
    async function check(path: string, method: string, field: string, body?: object) {
      const query = body === undefined ? `?${field}=x` : ''
      const url = `http://localhost${path.replaceAll(/\{\w+\}/g, 'country')}${query}`
      const headers = { Authorization: 'Bearer good', 'Content-Type': 'application/json' }
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) }
      const answer = await app.fetch(new Request(url, init), { peer: '192.0.2.1' })
      const { error } = (await answer.json()) as { error: { details?: Record<string, string>[] } }
      const found = error.details?.find((detail) => detail.field === field)
      expect(found, `${method} ${path} ${field}`).toMatchObject({
        code: 'INVALID_TYPE',
        message: translate('en', 'detail.INVALID_TYPE', { expected: 'integer' }),
      })
      seen.push(field)
    }
    for (const [path, item] of Object.entries(paths)) {
      for (const [method, operation] of Object.entries(item)) {
        const { parameters = [], requestBody } = operation as {
          parameters?: Parameter[]
          requestBody?: { content: Record<string, { schema: Schema & { $ref?: string } }> }
        }
        for (const parameter of parameters.map(resolved)) {
          const isChecked = parameter.in === 'query' && isInteger(parameter.schema)
          if (isChecked) await check(path, method.toUpperCase(), parameter.name)
        }
        const schema = requestBody?.content['application/json']?.schema
        const { properties = {} } = schema === undefined ? {} : resolved(schema)
        for (const [name, member] of Object.entries(properties)) {
          if (isInteger(member)) await check(path, method.toUpperCase(), name, { [name]: '1' })
        }
      }
    }
    expect(new Set(seen)).toEqual(
      new Set([
        ...['limit', 'per_page', 'page', 'slug_length', 'max_clicks', 'version'],
        ...['size', 'margin', 'expected', 'overlap_seconds'],
      ]),
    )
  })

  test('links from its index to every document and collection', async () => {
    const answer = await get('/api/v1')
    expect(answer.headers.get('Cache-Control')).toBe('private, no-cache')
    const index = (await answer.json()) as Record<string, string> & {
      resources: Record<string, string>
    }
    expect(Object.keys(index.resources)).toContain('links')
    for (const address of [index.documentation, index.openapi, index.errors]) {
      expect((await get((address as string).replace('https://s.example', ''))).status).toBe(200)
    }
    for (const address of Object.values(index.resources)) {
      const path = address.replace('https://s.example', '')
      expect([200, 401], path).toContain((await get(path)).status)
    }
  })

  test('shows a key its permissions', async () => {
    const response = await get('/api/v1/me', { Authorization: 'Bearer good' })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      key: { id: expect.any(String) },
      workspace: { id: expect.any(String) },
      restrictions: null,
      plan: { id: expect.any(String), limits: { links: 1000 } },
    })
    expect((await get('/api/v1/me')).status).toBe(401)
  })

  test('serves the reference page, of less than 800 kB, 80 kB compressed', async () => {
    const response = await get('/docs', { 'Accept-Language': 'ja' })
    expect(response.headers.get('Strict-Transport-Security')).not.toBeNull()
    const text = await response.text()
    expect(text).toContain('https://s.example/api/v1/links')
    expect(Buffer.byteLength(text)).toBeLessThan(800_000)
    expect(Bun.gzipSync(Buffer.from(text)).length).toBeLessThan(80_000)
    for (const [, id] of text.matchAll(/href="#([^"]+)"/g)) expect(text).toContain(` id="${id}"`)
  })
})

interface Described {
  components: {
    schemas: Record<
      string,
      { example?: unknown; properties?: Record<string, { example?: unknown }> }
    >
  }
}

interface ShownError {
  message: string
}

interface BadRequest {
  method?: string
  path?: string
  headers?: Record<string, string>
  body?: string
}

const LINKS = '/api/v1/links'

function post(body: string, headers: Record<string, string> = {}): BadRequest {
  return { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body }
}

const GOOD = 'https://a.example/'
const BAD_BODIES = [
  {},
  { destination_url: 5, slug: 'a b', title: 'x'.repeat(256), nonsense: 1, max_clicks: 0 },
  { destination_url: GOOD, aliases: ['one', 'ONE'], tags: Array(21).fill('t'), enabled: 'no' },
  { destination_url: GOOD, redirect_status: 200, starts_at: 'soon', external_id: '' },
  { destination_url: GOOD, starts_at: '2031-01-01', domain: 'elsewhere.example' },
  { destination_url: 'javascript:alert(1)', fallback_url: 'https://u:p@a.example/' },
  { destination_url: `${baseUrl}/x`, slug: 'api', notes: 'a\u0007b' },
]
const BAD_QUERIES = [
  'limit=0',
  'limit=x',
  'sort=x',
  'cursor=x',
  'page=1&cursor=x',
  'tag=',
  'domain=x/y',
]

const BAD_REQUESTS: BadRequest[] = [
  ...BAD_BODIES.map((body) => post(JSON.stringify(body))),
  ...['{', '[]', `{"notes":"${'x'.repeat(70_000)}"}`].map((body) => post(body)),
  ...BAD_QUERIES.map((query) => ({ path: `${LINKS}?${query}` })),
  post('{}', { 'Content-Type': 'text/plain' }),
  post('{}', { 'Content-Encoding': 'gzip' }),
  post('{}', { 'Idempotency-Key': 'a b' }),
  { headers: { Authorization: 'Bearer bad' } },
  { headers: { Authorization: '' } },
  { path: `${LINKS}/none` },
  { path: '/api/v1/nothing' },
  { method: 'PUT' },
]

/** Values inserted in messages, and the "or" between them. */
const VALUES =
  /\b(?:or|GET|HEAD|POST|OPTIONS|application\/json|identity|1\*255VCHAR|https?|string|integer|boolean|array|object|created_at|updated_at|clicks|clicks_with_imported|cursor|page|last_clicked_at|relevance|slug)\b/g
