import { expect, test } from 'bun:test'
import { shareComponents } from './openapi-share.ts'

test('equal parameters of endpoints become one component', () => {
  const zone = { name: 'zone', in: 'query', description: 'A zone.' }
  const other = { name: 'zone', in: 'query', description: 'Another zone.' }
  const id = { name: 'id', in: 'path' }
  const own = { name: 'id', in: 'path', description: 'Of a word.' }
  const operation = (...parameters: object[]) => ({ get: { parameters } })
  const document = shareComponents({
    paths: {
      '/api/links/{id}': operation(id, zone),
      '/api/links/{id}/a': operation(id, zone, other),
      '/api/links/{id}/words.csv': operation(id, zone, other),
      '/api/words/{id}': operation(own, other),
      '/api/words/{id}/a': operation(own),
      '/api/words/{id}/b': operation(own),
      '/e': { get: {} },
    },
    components: { parameters: {} },
  })
  const ref = (key: string) => ({ $ref: `#/components/parameters/${key}` })
  expect(document).toEqual({
    paths: {
      '/api/links/{id}': operation(ref('LinkIdPathParam'), ref('ZoneParam')),
      '/api/links/{id}/a': operation(ref('LinkIdPathParam'), ref('ZoneParam'), ref('AZoneParam')),
      '/api/links/{id}/words.csv': operation(
        ref('LinkIdPathParam'),
        ref('ZoneParam'),
        ref('AZoneParam'),
      ),
      '/api/words/{id}': operation(ref('WordIdPathParam'), ref('AZoneParam')),
      '/api/words/{id}/a': operation(ref('WordIdPathParam')),
      '/api/words/{id}/b': operation(ref('WordIdPathParam')),
      '/e': { get: {} },
    },
    components: {
      parameters: { LinkIdPathParam: id, ZoneParam: zone, AZoneParam: other, WordIdPathParam: own },
      responses: {},
      headers: {},
    },
  } as never)
})

test('errors of a status are one component, and operations list their codes', () => {
  const operation = (description: string) => ({
    get: { responses: { 200: {}, 404: { description } } },
  })
  const document = shareComponents({
    paths: { '/a': operation('NOT_FOUND'), '/b': operation('LINK_NOT_FOUND') },
    components: {},
  })
  const $ref = '#/components/responses/NotFound'
  const { paths, components } = document as unknown as {
    paths: ReturnType<typeof operation>[]
    components: object
  }
  expect(Object.values(paths).map(({ get }) => get.responses[404])).toEqual([
    { $ref, description: 'NOT_FOUND' },
    { $ref, description: 'LINK_NOT_FOUND' },
  ] as never)
  expect(components).toMatchObject({ responses: { NotFound: { description: expect.any(String) } } })
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
