import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from './app.ts'
import { systemClock } from './base/clock.ts'
import { createIds } from './base/ids.ts'
import { silentLogger } from './base/logger.ts'
import { systemRandom } from './base/random.ts'
import { syncDomains } from './domains/index.ts'
import { createCursors } from './http/cursor.ts'
import { createLinkService, type LinkServiceDeps } from './links/index.ts'
import { DEFAULT_PLANS } from './plans/defaults.ts'
import { createPlans } from './plans/service.ts'
import { migrate, openEmbedded } from './storage/index.ts'

const dir = await mkdtemp(join(tmpdir(), 'slugline-app-'))
await migrate(dir)
const storage = await openEmbedded(dir)
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
const links = createLinkService({
  storage,
  clock,
  ids,
  random,
  domains,
  cursors: createCursors('a secret of thirty-two characters'),
  ownHosts: { hosts: domains.hosts, listenPort: 3000, basePort: 443 },
  urlRules: { schemes: ['http', 'https'], blockedHosts: [] },
  peopleSoFar: () => 0,
} as Partial<LinkServiceDeps> as LinkServiceDeps)
await storage.write(async (tx) => {
  await tx.db
    .insertInto('workspaces')
    .values({ no: 1, id: 'wsp_1', name: 'A', name_key: 'a', plan_id: 'free', created_at: 0 })
    .execute()
})

const app = createApp({
  storage,
  clock,
  ids,
  logger: silentLogger,
  authenticate: async (credential) =>
    credential === 'good'
      ? {
          kind: 'api_key',
          keyId: 'key_1',
          scopes: new Set(['links:read', 'links:write']),
          workspace: { no: 1, id: 'wsp_1', language: null, plan: plans.default },
        }
      : null,
  clientAddress: (peer) => peer,
  anonymousPerMinute: 600,
  baseUrl: () => baseUrl,
  plans,
  links,
})

function get(path: string, headers: Record<string, string> = {}, method = 'GET') {
  const request = new Request(`http://localhost${path}`, { method, headers })
  return app.fetch(request, { peer: '192.0.2.1' })
}

describe('the application', () => {
  test('knows which paths are its own', () => {
    for (const path of [
      '/api',
      '/api/v1/links',
      '/api/nothing',
      '/docs',
      '/docs/',
      '/openapi.json',
    ]) {
      expect(app.owns(path)).toBe(true)
    }
    for (const path of ['/', '/abc', '/apis', '/docs2', '/docsify', '/livez', '/API']) {
      expect(app.owns(path)).toBe(false)
    }
  })

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

  test('asks for a key on every endpoint but the plans', async () => {
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

  test('serves its description, with an entity tag', async () => {
    const response = await get('/openapi.json')
    expect(response.headers.get('Content-Type')).toBe('application/json')
    const text = await response.text()
    expect(await (await get('/api/v1/openapi.json')).text()).toBe(text)
    const document = JSON.parse(text) as { openapi: string; paths: Record<string, object> }
    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.paths).sort()).toEqual([
      '/api/v1/links',
      '/api/v1/links/{id}',
      '/api/v1/plans',
    ])
    const headers = { 'If-None-Match': response.headers.get('ETag') as string }
    expect((await get('/openapi.json', headers)).status).toBe(304)
    expect((await get('/openapi.json', {}, 'POST')).status).toBe(405)
  })

  test('describes every status that a redirect may have', async () => {
    const { components } = (await (await get('/openapi.json')).json()) as {
      components: { schemas: Record<string, { properties: Record<string, object> }> }
    }
    for (const name of ['Link', 'LinkCreate', 'LinkPatch']) {
      const status = components.schemas[name]?.properties.redirect_status
      expect(status, name).toMatchObject({ enum: [301, 302, 307, 308] })
    }
  })

  test('describes the requests of each endpoint by example', async () => {
    const { paths } = (await (await get('/openapi.json')).json()) as {
      paths: Record<string, Record<string, { requestBody?: { content: object } }>>
    }
    for (const operations of Object.values(paths)) {
      for (const { requestBody } of Object.values(operations)) {
        if (requestBody === undefined) continue
        for (const content of Object.values(requestBody.content)) {
          expect(content).toHaveProperty('example')
        }
      }
    }
  })

  test('serves the reference page, of less than 100 kB', async () => {
    const response = await get('/docs', { 'Accept-Language': 'ja' })
    expect(response.headers.get('Strict-Transport-Security')).not.toBeNull()
    const text = await response.text()
    expect(text).toContain('https://s.example/api/v1/links')
    expect(Buffer.byteLength(text)).toBeLessThan(100_000)
    for (const [, id] of text.matchAll(/href="#([^"]+)"/g)) expect(text).toContain(` id="${id}"`)
  })
})
