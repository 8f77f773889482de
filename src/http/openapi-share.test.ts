import { expect, test } from 'bun:test'
import { shareParameters } from './openapi-share.ts'

test('query parameters that endpoints declare alike are written once', () => {
  const zone = { name: 'zone', in: 'query', description: 'A zone.' }
  const other = { name: 'zone', in: 'query', description: 'Another zone.' }
  const id = { name: 'id', in: 'path' }
  const operation = (...parameters: object[]) => ({ get: { parameters } })
  const document = shareParameters({
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
      '/a': operation(id, ref('zone')),
      '/b': operation(id, ref('zone'), ref('zone-2')),
      '/c': operation(id, ref('zone'), ref('zone-2')),
      '/d': operation(id, ref('zone-2')),
      '/e': { get: {} },
    },
    components: { parameters: { zone, 'zone-2': other } },
  } as never)
})
