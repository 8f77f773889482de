import { afterAll, expect, test } from 'bun:test'
import { deprecationHeaders } from './deprecation.ts'
import { openApiDocument } from './openapi.ts'
import { createTestApi } from './testing/api.ts'

const t = await createTestApi()
afterAll(() => t.close())

t.api.add({
  method: 'get',
  path: '/api/v1/old',
  scope: null,
  deprecated: { since: '2027-01-31', until: '2028-02-01' },
  operationId: 'getOld',
  tag: 'Test',
  summary: 'An endpoint that will be removed',
  success: { status: 200, description: 'Old.' },
  handler: () => ({ status: 200, body: {} }),
})

test('responses of a deprecated endpoint say since when and until when', async () => {
  for (const path of ['/api/v1/old', '/api/v1/old?unknown=1']) {
    const { headers } = await t.send('GET', path)
    expect(headers.get('Deprecation')).toBe('@1801353600')
    expect(headers.get('Sunset')).toBe('Tue, 01 Feb 2028 00:00:00 GMT')
    expect(headers.get('Access-Control-Expose-Headers')).toContain('Deprecation, Sunset')
  }
  const { headers } = await t.send('GET', '/api/v1/words')
  expect([headers.get('Deprecation'), headers.get('Sunset')]).toEqual([null, null])
})

test('the document marks it', () => {
  const { paths } = openApiDocument(t.api.endpoints)
  expect(paths?.['/api/v1/old']?.get).toMatchObject({
    deprecated: true,
    description: expect.stringContaining('2028-02-01'),
  })
  expect(paths?.['/api/v1/words']?.get).not.toHaveProperty('deprecated')
})

test('clients have at least 12 months', () => {
  const since = '2027-01-31'
  expect(() => deprecationHeaders({ since, until: '2028-01-30' })).toThrow()
  expect(() => deprecationHeaders({ since, until: 'soon' })).toThrow()
  expect(deprecationHeaders({ since, until: '2028-01-31' })).toHaveProperty('Sunset')
})
