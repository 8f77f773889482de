import { expect, test } from 'bun:test'
import { breakingChanges } from '../../scripts/breaking-changes.ts'

const link = { type: 'object', properties: { id: { type: 'string' }, n: { type: 'integer' } } }
const create = {
  type: 'object',
  properties: {
    url: { type: 'string', maxLength: 100 },
    kind: { $ref: '#/components/schemas/Kind' },
    note: { type: ['string', 'null'] },
  },
  required: ['url'],
}
const answer = (schema: string) => ({
  content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } },
})
const document = {
  paths: {
    '/links': {
      get: {
        operationId: 'listLinks',
        security: [{ bearerAuth: ['links:read'] }],
        parameters: [
          { name: 'sort', in: 'query', schema: { type: 'string', enum: ['slug', 'clicks'] } },
        ],
        responses: { 200: answer('Link'), 404: { $ref: '#/components/responses/NotFound' } },
      },
      post: {
        operationId: 'createLink',
        requestBody: answer('LinkCreate'),
        responses: { 201: answer('Link') },
      },
    },
  },
  components: {
    responses: { NotFound: { description: 'No.' } },
    schemas: {
      Link: { ...link, required: ['id'] },
      LinkCreate: create,
      Kind: { type: 'string', enum: ['a', 'b'] },
    },
  },
}

// biome-ignore lint/suspicious/noExplicitAny: any part of a document.
type Change = (document: any) => void

function changesBy(change: Change): string[] {
  const after = structuredClone(document)
  change(after)
  return breakingChanges(document, after)
}

const BREAKING: Readonly<Record<string, [Change, expected: string[]]>> = {
  path: [({ paths }) => delete paths['/links'], ['removed GET /links', 'removed POST /links']],
  method: [({ paths }) => delete paths['/links'].post, ['removed POST /links']],
  operation: [
    ({ paths }) => Object.assign(paths['/links'].get, { operationId: 'findLinks' }),
    ['GET /links: renamed operation listLinks to findLinks'],
  ],
  scope: [
    ({ paths }) => Object.assign(paths['/links'].get, { security: [{ bearerAuth: ['more'] }] }),
    ['GET /links: requires another scope'],
  ],
  response: [
    ({ paths }) => delete paths['/links'].get.responses[404],
    ['GET /links: removed response 404'],
  ],
  parameter: [
    ({ paths }) => paths['/links'].get.parameters.pop(),
    ['GET /links: removed query parameter sort'],
  ],
  'required parameter': [
    ({ paths }) =>
      paths['/links'].get.parameters.push({ name: 'q', in: 'query', required: true, schema: {} }),
    ['GET /links: query parameter q is required'],
  ],
  'value of a parameter': [
    ({ paths }) => paths['/links'].get.parameters[0].schema.enum.pop(),
    ['GET /links query parameter sort: removed value clicks in requests'],
  ],
  'property of a request': [
    ({ components }) => delete components.schemas.LinkCreate.properties.note,
    ['LinkCreate: removed property note in requests'],
  ],
  'property of a response': [
    ({ components }) => delete components.schemas.Link.properties.n,
    ['Link: removed property n in responses'],
  ],
  'required property of a request': [
    ({ components }) => components.schemas.LinkCreate.required.push('kind'),
    ['LinkCreate: property kind is required'],
  ],
  'optional property of a response': [
    ({ components }) => components.schemas.Link.required.pop(),
    ['Link: property id may be absent'],
  ],
  'value of a request': [
    ({ components }) => components.schemas.Kind.enum.pop(),
    ['Kind: removed value b in requests'],
  ],
  'type of a request': [
    ({ components }) =>
      Object.assign(components.schemas.LinkCreate.properties.note, { type: 'string' }),
    ['LinkCreate.note: changed type from string,null to string in requests'],
  ],
  'type of a response': [
    ({ components }) =>
      Object.assign(components.schemas.Link.properties.n, { type: ['integer', 'null'] }),
    ['Link.n: changed type from integer to integer,null in responses'],
  ],
  bound: [
    ({ components }) =>
      Object.assign(components.schemas.LinkCreate.properties.url, { maxLength: 50 }),
    ['LinkCreate.url: maxLength is 50 instead of 100'],
  ],
  schema: [
    ({ components }) => {
      components.schemas.Sort = components.schemas.Kind
      components.schemas.LinkCreate.properties.kind.$ref = '#/components/schemas/Sort'
      delete components.schemas.Kind
    },
    ['removed schema Kind'],
  ],
}

for (const [name, [change, expected]] of Object.entries(BREAKING)) {
  test(`a change that breaks clients is named: ${name}`, () => {
    expect(changesBy(change)).toEqual(expected)
  })
}

test('an API that grows breaks no client', () => {
  const grown = changesBy(({ paths, components }) => {
    paths['/tags'] = paths['/links']
    paths['/links'].get.parameters.push({ name: 'q', in: 'query', schema: { type: 'string' } })
    paths['/links'].get.parameters[0].schema.enum.push('title')
    paths['/links'].get.responses[429] = { description: 'Too many.' }
    components.schemas.Kind.enum.push('c')
    components.schemas.Link.properties.title = { type: 'string' }
    components.schemas.Link.required.push('title')
    Object.assign(components.schemas.LinkCreate.properties.url, { maxLength: 200 })
    components.schemas.LinkCreate.properties.title = { type: 'string' }
  })
  expect(grown).toEqual([])
})

test('a choice between named schemas may get another one at any place', () => {
  const choice = (...names: string[]) => ({
    paths: document.paths,
    components: {
      responses: document.components.responses,
      schemas: {
        ...document.components.schemas,
        LinkCreate: { oneOf: names.map((name) => ({ $ref: `#/components/schemas/${name}` })) },
        A: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        B: { type: 'object', properties: { b: { type: 'string' } }, required: ['b'] },
      },
    },
  })
  expect(breakingChanges(choice('B', 'Kind'), choice('A', 'B', 'Kind'))).toEqual([])
  expect(breakingChanges(choice('B', 'Kind'), choice('A', 'Kind'))).toContain(
    'A: property a is required',
  )
})
