import { afterAll, expect, test } from 'bun:test'
import { z } from '@hono/zod-openapi'
import { AppError } from '../lib/errors/index.ts'
import { endpoint } from './api.ts'
import { openApiDocument } from './openapi.ts'
import { createTestApi } from './testing/api.ts'

const t = await createTestApi({ limits: { requests_per_minute: 60 } })
afterAll(() => t.close())

let opened = 0
let permitted: (() => Promise<boolean>) | undefined

endpoint(t.api, {
  method: 'get',
  path: '/api/v1/lines/{id}',
  scope: 'links:read',
  operationId: 'streamLines',
  tag: 'Lines',
  summary: 'Lines',
  params: z.object({ id: z.string() }),
  success: { status: 200, description: 'Lines.', contentType: 'text/plain', schema: z.string() },
  errors: ['LINK_NOT_FOUND'],
  handler({ params, stillPermitted }) {
    permitted = stillPermitted
    return {
      status: 200,
      headers: { 'Content-Type': 'text/plain' },
      async stream() {
        opened++
        if (params.id === 'missing') throw new AppError('LINK_NOT_FOUND')
        if (params.id === 'broken') throw new Error('SELECT secret')
        return new Response('one\ntwo\n').body as ReadableStream<Uint8Array>
      },
    }
  },
})

test('a streamed response has the headers of all responses', async () => {
  const answer = await t.send('GET', '/api/v1/lines/some')
  expect(await answer.text()).toBe('one\ntwo\n')
  expect(answer.headers.get('content-type')).toBe('text/plain')
  for (const name of ['x-request-id', 'ratelimit', 'access-control-allow-origin']) {
    expect([name, answer.headers.has(name)]).toEqual([name, true])
  }
  expect(answer.headers.has('etag')).toBe(false)
})

test('HEAD has them too, and opens nothing', async () => {
  const before = opened
  const answer = await t.send('HEAD', '/api/v1/lines/some')
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/plain'])
  expect(await answer.text()).toBe('')
  expect(opened).toBe(before)
})

test('HEAD has no length if GET has none', async () => {
  const peer = '127.0.0.1'
  const server = Bun.serve({
    port: 0,
    hostname: peer,
    fetch: (request) => t.api.fetch(request, { peer }),
  })
  const headers = { Authorization: 'Bearer writer' }
  const address = new URL('/api/v1/lines/some', server.url)
  const answer = await fetch(address, { method: 'HEAD', headers })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-length')).toBeNull()
  await server.stop(true)
})

test('what fails before the first byte is an error like any other', async () => {
  for (const [id, status, code] of [
    ['missing', 404, 'LINK_NOT_FOUND'],
    ['broken', 500, 'INTERNAL_ERROR'],
  ] as const) {
    const answer = await t.send('GET', `/api/v1/lines/${id}`)
    const body = (await answer.json()) as { error: { code: string } }
    expect([answer.status, body.error.code]).toEqual([status, code])
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(JSON.stringify(body)).not.toContain('SELECT')
  }
})

test('a streamed response can check its permission again', async () => {
  await (await t.send('GET', '/api/v1/lines/some')).text()
  expect(await permitted?.()).toBe(true)
  const { writer } = t.keys
  const before = { ...writer }
  Object.assign(writer as object, { hiddenFolders: ['fld_new'] })
  expect(await permitted?.()).toBe(false)
  Object.assign(writer as object, { hiddenFolders: undefined, scopes: ['links:read'] })
  expect(await permitted?.()).toBe(true)
  Object.assign(writer as object, { scopes: ['stats:read'] })
  expect(await permitted?.()).toBe(false)
  Object.assign(writer as object, { ...before, workspaceNo: 2 })
  expect(await permitted?.()).toBe(false)
  Object.assign(writer as object, before)
})

test('the document has its media type', () => {
  const document = JSON.parse(JSON.stringify(openApiDocument(t.api.endpoints)))
  const { content } = document.paths['/api/v1/lines/{id}'].get.responses[200]
  expect(content).toEqual({ 'text/plain': { schema: { type: 'string' } } })
})
