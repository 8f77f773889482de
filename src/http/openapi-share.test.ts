import { expect, test } from 'bun:test'
import { shareComponents } from './openapi-share.ts'

test('query parameters that endpoints declare alike are written once', () => {
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
      '/a': operation(id, ref('ZoneParameter')),
      '/b': operation(id, ref('ZoneParameter'), ref('ZoneParameterV2')),
      '/c': operation(id, ref('ZoneParameter'), ref('ZoneParameterV2')),
      '/d': operation(id, ref('ZoneParameterV2')),
      '/e': { get: {} },
    },
    components: { parameters: { ZoneParameter: zone, ZoneParameterV2: other }, responses: {} },
  } as never)
})

test('errors that endpoints have in common are written once', () => {
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
    components: { parameters: {}, responses: { Error404: missing, Error404V2: other } },
  } as never)
})
