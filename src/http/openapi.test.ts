import { afterAll, describe, expect, test } from 'bun:test'
import { openApiDocument } from './openapi.ts'
import { createTestApi } from './test-api.ts'

const t = await createTestApi()
afterAll(() => t.close())

const document = JSON.parse(JSON.stringify(openApiDocument(t.api.endpoints)))

/** Every `$ref` in the document. */
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

describe('the OpenAPI document', () => {
  test('is of version 3.1 and leads nowhere else', () => {
    expect(document.openapi).toBe('3.1.0')
    expect(document.servers).toEqual([{ url: '/' }])
  })

  test('has no reference that doesn’t resolve', () => {
    const refs = refsIn(document)
    expect(refs.length).toBeGreaterThan(20)
    for (const ref of refs) expect(resolve(ref), ref).toBeDefined()
  })

  test('says which scope each endpoint needs', () => {
    expect(document.paths['/api/v1/hosts'].post.security).toEqual([{ apiKey: ['links:write'] }])
    expect(document.paths['/api/v1/words'].get.security).toEqual([])
    expect(document.components.securitySchemes.apiKey.scheme).toBe('bearer')
  })

  test('lists every answer of an endpoint', () => {
    const statusesOf = (path: string, method: string) =>
      Object.keys(document.paths[path][method].responses).map(Number)
    expect(statusesOf('/api/v1/hosts', 'post')).toEqual([
      201, 400, 401, 403, 409, 413, 415, 422, 429, 500, 503,
    ])
    expect(statusesOf('/api/v1/hosts/{id}', 'get')).toEqual([
      200, 304, 401, 403, 404, 422, 429, 500, 503,
    ])
    expect(statusesOf('/api/v1/words', 'get')).toEqual([200, 304, 429, 500, 503])
  })

  test('has parameters for what the pipeline reads', () => {
    const namesOf = (path: string, method: string): string[] =>
      document.paths[path][method].parameters.map((parameter: { $ref?: string; name: string }) =>
        parameter.$ref ? parameter.$ref.split('/').at(-1) : parameter.name,
      )
    expect(namesOf('/api/v1/hosts/{id}', 'get').sort()).toEqual([
      'Accept-Language',
      'If-None-Match',
      'id',
      'lang',
      'limit',
    ])
    expect(namesOf('/api/v1/hosts/{id}', 'patch')).toContain('If-Match')
    expect(namesOf('/api/v1/hosts', 'post')).toContain('Idempotency-Key')
  })

  test('takes a merge patch where PATCH does', () => {
    const { content } = document.paths['/api/v1/hosts/{id}'].patch.requestBody
    expect(Object.keys(content)).toEqual(['application/merge-patch+json', 'application/json'])
  })

  test('is the same each time', () => {
    const again = JSON.stringify(openApiDocument(t.api.endpoints))
    expect(again).toBe(JSON.stringify(document))
  })
})
