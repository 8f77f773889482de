import { afterAll, describe, expect, test } from 'bun:test'
import openapi from '../../openapi.json' with { type: 'json' }
import dashboard from '../../web/openapi.json' with { type: 'json' }
import { PUBLIC_ERROR_CODES } from '../lib/errors/index.ts'
import { openApiDocument } from './openapi.ts'
import { createTestApi, type SendInit } from './testing/api.ts'

const t = await createTestApi()
afterAll(() => t.close())

const document = JSON.parse(JSON.stringify(openApiDocument(t.api.endpoints)))

interface Document {
  paths: Record<
    string,
    Record<string, { requestBody?: { content: Record<string, { schema: object }> } }>
  >
  components: { schemas: Record<string, object> }
}

/** Every `$ref` of the document. */
function refsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' ? [String(member)] : refsIn(member),
  )
}

function resolve(ref: string): unknown {
  return ref
    .slice(2)
    .split('/')
    .reduce((at: unknown, key) => (at as Record<string, unknown> | undefined)?.[key], document)
}

/** A response, inline or referenced. */
function answerOf(response: { $ref?: string; headers?: object }): { headers?: object } {
  return (response.$ref === undefined ? response : resolve(response.$ref)) as { headers?: object }
}

// biome-ignore lint/suspicious/noExplicitAny: any part of a document.
type Any = any

function byRef(components: Any, $ref: string): Any {
  return components.schemas[$ref.split('/').at(-1) as string]
}

/** All objects below a value, also by references to schemas, except in examples. */
function nodesOf(value: unknown, schemas: Any, seen = new Set<unknown>()): Any[] {
  if (typeof value !== 'object' || value === null || seen.has(value)) return []
  seen.add(value)
  const inside = Object.entries<Any>(value).flatMap(([key, member]) => {
    if (key === 'example' || key === 'examples') return []
    if (key === '$ref') return nodesOf(byRef({ schemas }, String(member)), schemas, seen)
    return nodesOf(member, schemas, seen)
  })
  return [value, ...inside]
}

describe('the OpenAPI document', () => {
  test('has version 3.1 and no external references', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.servers).toEqual([{ url: 'https://go.example.com' }])
  })

  test('bounds every list in a body', () => {
    for (const { components, paths } of [openapi, dashboard] as unknown as Document[]) {
      const { schemas } = components
      const bodies = Object.values(paths).flatMap((item) =>
        Object.values(item).map(
          ({ requestBody }) => requestBody?.content['application/json']?.schema,
        ),
      )
      const reached = new Set<unknown>()
      const walk = (at: unknown, path: string): void => {
        if (typeof at !== 'object' || at === null || reached.has(at)) return
        reached.add(at)
        const { $ref, type, maxItems } = at as { $ref?: string; type?: unknown; maxItems?: number }
        if ($ref !== undefined) walk(schemas[$ref.split('/').at(-1) as string], $ref)
        if ([type].flat().includes('array'))
          expect([path, maxItems]).toEqual([path, expect.any(Number)])
        for (const [name, inner] of Object.entries(at))
          if (name !== 'example') walk(inner, `${path}/${name}`)
      }
      for (const body of bodies) walk(body, '')
      expect(reached.size).toBeGreaterThan(200)
    }
  })

  test('has no reference that doesn’t resolve', () => {
    const refs = refsIn(document)
    expect(refs.length).toBeGreaterThan(20)
    for (const ref of refs) expect(resolve(ref), ref).toBeDefined()
  })

  test('has the scope of each endpoint', () => {
    expect(document.paths['/api/v1/hosts'].post.security).toEqual([{ bearerAuth: ['links:write'] }])
    expect(document.paths['/api/v1/words'].get.security).toEqual([])
    expect(document.components.securitySchemes.bearerAuth.scheme).toBe('bearer')
  })

  test('lists every response of an endpoint', () => {
    const statusesOf = (path: string, method: string) =>
      Object.keys(document.paths[path.split('?')[0] as string][method].responses).map(Number)
    expect(statusesOf('/api/v1/hosts', 'post')).toEqual([
      201, 400, 401, 403, 409, 413, 415, 422, 429, 500, 503,
    ])
    expect(statusesOf('/api/v1/hosts/{id}', 'get')).toEqual([
      200, 304, 401, 403, 404, 422, 429, 500, 503,
    ])
    expect(statusesOf('/api/v1/words', 'get')).toEqual([200, 304, 422, 429, 500, 503])
  })

  test('has parameters for what the pipeline reads', () => {
    const namesOf = (path: string, method: string): string[] =>
      document.paths[path.split('?')[0] as string][method].parameters.map(
        (parameter: { $ref?: string; name: string }) =>
          parameter.$ref ? (resolve(parameter.$ref) as { name: string }).name : parameter.name,
      )
    expect(namesOf('/api/v1/hosts/{id}', 'get').sort()).toEqual([
      'If-None-Match',
      'id',
      'lang',
      'limit',
      'per_page',
    ])
    expect(namesOf('/api/v1/hosts/{id}', 'patch')).toContain('If-Match')
    expect(namesOf('/api/v1/hosts', 'post')).toContain('Idempotency-Key')
  })

  test('has no header that a response lacks', async () => {
    const limited = await createTestApi({ limits: { requests_per_minute: 60, burst: 60 } })
    const one = '/api/v1/hosts/{id}'
    const all = '/api/v1/hosts'
    const body = { no: 1, host: 'a.example' }
    const key = { 'Idempotency-Key': 'key' }
    const requests: [method: string, path: string, init: SendInit, status: number][] = [
      ['GET', one, {}, 200],
      ['GET', one, { headers: { 'If-None-Match': '*' } }, 304],
      ['GET', one, { headers: { Authorization: null } }, 401],
      ['GET', '/api/v1/words', {}, 200],
      ['POST', all, { body, headers: key }, 201],
      ['GET', '/api/v1/words?x=1', {}, 422],
      ['POST', all, { body, headers: { Authorization: 'Bearer reader' } }, 403],
      ['POST', all, { body: { ...body, no: 2 } }, 409],
      ['POST', all, { body: {}, headers: { 'Content-Type': 'text/plain' } }, 415],
      ['POST', all, { body: {} }, 422],
      ['PATCH', one, { body: {} }, 200],
      ['PATCH', one, { body: {}, headers: { 'If-Match': '"other"' } }, 412],
      ['PATCH', one, { body: {}, headers: { 'Content-Type': 'text/plain' } }, 415],
      ...Array.from({ length: 60 }, (): [string, string, SendInit, number] => ['GET', one, {}, 0]),
      ['GET', one, {}, 429],
    ]
    for (const [method, path, init, status] of requests) {
      const response = await limited.send(method, path.replace('{id}', 'a'), init)
      if (status === 0) continue
      expect(response.status).toBe(status)
      const { headers = {} } = answerOf(
        document.paths[path.split('?')[0] as string][method.toLowerCase()].responses[status],
      )
      for (const name of Object.keys(headers)) {
        if (['Idempotent-Replayed', 'Dry-Run'].includes(name)) continue
        expect(response.headers.get(name), `${method} ${path} ${status} ${name}`).not.toBeNull()
      }
    }
    await limited.close()
  })

  test('marks replayed responses', () => {
    const { responses } = document.paths['/api/v1/hosts'].post
    const replayed = Object.keys(responses).filter(
      (status) => 'Idempotent-Replayed' in (answerOf(responses[status]).headers ?? {}),
    )
    expect(replayed).toEqual(['201'])
  })

  test('names every code, and has an example of an error', () => {
    expect(document.components.schemas.ErrorCode['x-extensible-enum']).toEqual(PUBLIC_ERROR_CODES)
    expect(document.components.schemas.Error.example.error.code).toBe('SLUG_TAKEN')
  })

  test('has merge patches for PATCH', () => {
    const { content } = document.paths['/api/v1/hosts/{id}'].patch.requestBody
    expect(Object.keys(content)).toEqual(['application/merge-patch+json', 'application/json'])
  })

  test('lets responses grow, and keeps requests strict', () => {
    const { components, paths } = openapi as unknown as Any
    const operations = Object.values<Any>(paths).flatMap((path) => Object.values<Any>(path))
    const inResponses = nodesOf(
      [components.responses, operations.map(({ responses }) => responses)],
      components.schemas,
    )
    expect(inResponses.length).toBeGreaterThan(500)
    expect(inResponses.filter((node) => node.additionalProperties === false)).toEqual([])
    expect(inResponses.filter((node) => Array.isArray(node.enum))).toEqual([])
    const bodies = operations.flatMap(({ requestBody }) => {
      const schema = requestBody?.content['application/json']?.schema
      return schema === undefined || schema.format
        ? []
        : [schema.$ref ? byRef(components, schema.$ref) : schema]
    })
    expect(bodies.length).toBeGreaterThan(20)
    expect(bodies.filter((body) => body.additionalProperties !== false)).toEqual([])
  })

  test('has integers with a size, and neither null nor booleans in enums', () => {
    const nodes = nodesOf(openapi, {})
    const typed = (node: Any, type: string) => [node.type].flat().includes(type)
    const integers = nodes.filter((node) => typed(node, 'integer'))
    expect(integers.filter(({ format }) => !/^int(32|64)$/.test(format))).toEqual([])
    const enums = nodes.filter((node) => Array.isArray(node.enum))
    expect(enums.length).toBeGreaterThan(20)
    expect(enums.filter((node) => node.enum.includes(null) || typed(node, 'boolean'))).toEqual([])
  })

  test('is the same each time', () => {
    const again = JSON.stringify(openApiDocument(t.api.endpoints))
    expect(again).toBe(JSON.stringify(document))
  })
})
