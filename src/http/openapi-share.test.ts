import { expect, test } from 'bun:test'
import { shareComponents } from './openapi-share.ts'

test('equal parameters of endpoints become one component', () => {
  const zone = { name: 'zone', in: 'query', description: 'A zone.' }
  const other = { name: 'zone', in: 'query', description: 'Another zone.' }
  const id = { name: 'id', in: 'path' }
  const operation = (...parameters: object[]) => ({ get: { parameters } })
  const document = shareComponents({
    paths: {
      '/a': operation(id, zone),
      '/b': operation(id, zone, other),
      '/c': operation(id, zone, other),
      '/d': operation(id, other),
      '/e': { get: {} },
    },
    components: { parameters: {} },
  })
  const ref = (key: string) => ({ $ref: `#/components/parameters/${key}` })
  expect(document).toEqual({
    paths: {
      '/a': operation(ref('IdParam'), ref('ZoneParam')),
      '/b': operation(ref('IdParam'), ref('ZoneParam'), ref('ZoneParamV2')),
      '/c': operation(ref('IdParam'), ref('ZoneParam'), ref('ZoneParamV2')),
      '/d': operation(ref('IdParam'), ref('ZoneParamV2')),
      '/e': { get: {} },
    },
    components: {
      parameters: { ZoneParam: zone, ZoneParamV2: other, IdParam: id },
      responses: {},
      headers: {},
    },
  } as never)
})

test('common errors become one component', () => {
  const missing = { description: 'NOT_FOUND' }
  const other = { description: 'LINK_NOT_FOUND' }
  const operation = (error: object) => ({ get: { responses: { 200: {}, 404: error } } })
  const document = shareComponents({
    paths: { '/a': operation(missing), '/b': operation(other), '/c': operation(missing) },
    components: {},
  })
  const ref = (key: string) => ({ $ref: `#/components/responses/${key}` })
  expect(document).toEqual({
    paths: {
      '/a': operation(ref('Error404')),
      '/b': operation(ref('Error404V2')),
      '/c': operation(ref('Error404')),
    },
    components: {
      parameters: {},
      responses: { Error404: missing, Error404V2: other },
      headers: {},
    },
  } as never)
})

test('headers and descriptions are shared, and a list has no example besides its item’s', () => {
  const link = { schema: { type: 'string' }, description: 'Pages.' }
  const schema = { $ref: '#/components/schemas/List' }
  const operation = (headers: object) => ({
    get: {
      parameters: [{ name: 'q', in: 'query', description: 'Q.', schema: { description: 'Q.' } }],
      responses: { 200: { headers, content: { json: { schema, example: { data: [1] } } } } },
    },
  })
  const item = { example: 1 }
  const list = { properties: { data: { items: { $ref: '#/components/schemas/Item' } } } }
  const document = shareComponents({
    paths: { '/a': operation({ Link: link }) },
    components: { schemas: { Item: item, List: structuredClone(list) } },
  })
  const { get } = operation({ Link: { $ref: '#/components/headers/Link' } })
  const parameters = [{ name: 'q', in: 'query', description: 'Q.', schema: {} }]
  const { headers } = get.responses[200]
  expect(document).toEqual({
    paths: {
      '/a': { get: { parameters, responses: { 200: { headers, content: { json: { schema } } } } } },
    },
    components: {
      parameters: {},
      responses: {},
      headers: { Link: link },
      schemas: { Item: item, List: list },
    },
  } as never)
})
