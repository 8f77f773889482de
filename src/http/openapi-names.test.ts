import { expect, test } from 'bun:test'
import openapi from '../../openapi.json' with { type: 'json' }
import { nameSchemas } from './openapi-names.ts'

// biome-ignore lint/suspicious/noExplicitAny: any part of a document.
type Any = any

const { components, paths } = openapi as unknown as Any
const operations: [path: string, method: string, operation: Any][] = Object.entries<Any>(
  paths,
).flatMap(([path, item]) =>
  Object.entries(item).map(([method, one]) => [path, method, one] as never),
)

/** Calls back for every schema below a value, with its place. */
function walk(value: Any, at: string, visit: (node: Any, at: string) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value, at)
  for (const [key, member] of Object.entries(value)) {
    if (key !== 'example' && key !== 'examples') walk(member, `${at}/${key}`, visit)
  }
}

/** The places of what a condition holds for, in all schemas, bodies and parameters. */
function placesOf(condition: (node: Any) => boolean): string[] {
  const places: string[] = []
  const visit = (node: Any, at: string) => condition(node) && places.push(at)
  for (const [name, schema] of Object.entries<Any>(components.schemas)) {
    for (const [key, value] of Object.entries(schema)) walk(value, `${name}/${key}`, visit)
  }
  for (const [path, method, { responses, requestBody, parameters }] of operations) {
    walk([responses, requestBody, parameters], `${method} ${path}`, visit)
  }
  return places
}

test('components have names that say what they are', () => {
  for (const kind of ['schemas', 'parameters', 'responses', 'headers']) {
    const names = Object.keys(components[kind])
    expect(names.length).toBeGreaterThan(9)
    expect(names.filter((name) => /V\d+$|Type\d|\d$|^Inline/.test(name))).toEqual([])
  }
  // Go's constructors are called so.
  expect(Object.keys(components.schemas).filter((name) => /^New[A-Z]/.test(name))).toEqual([])
  const names = [components.schemas, components.securitySchemes].flatMap(Object.keys)
  const folded = names.map((name) => name.toLowerCase())
  expect(folded.filter((name, i) => folded.indexOf(name) !== i)).toEqual([])
})

test('objects, unions and choices of values have names, and nothing is composed', () => {
  expect(placesOf((node) => node.type === 'object' || node.type?.includes?.('object'))).toEqual([])
  expect(placesOf((node) => node.allOf !== undefined)).toEqual([])
  const unions = placesOf((node) => {
    const choices = node.anyOf ?? node.oneOf
    return choices !== undefined && choices.filter((one: Any) => one.type !== 'null').length > 1
  })
  expect(unions).toEqual([])
  const choices = Object.values<Any>(components.schemas).flatMap(({ anyOf, oneOf }) => [
    ...(anyOf ?? []),
    ...(oneOf ?? []),
  ])
  expect(choices.length).toBeGreaterThan(5)
  expect(choices.filter((choice) => choice.type === 'array')).toEqual([])
  expect(placesOf((node) => node.anyOf?.some((one: Any) => one.enum !== undefined))).toEqual([])
})

test('numbers have a size', () => {
  const isNumber = ({ type }: Any) => [type].flat().some((one) => /^(number|integer)$/.test(one))
  expect(placesOf(isNumber).length).toBeGreaterThan(50)
  expect(placesOf((node) => isNumber(node) && node.format === undefined)).toEqual([])
})

test('operations are called by a verb and what it is done to, each differently', () => {
  const ids = operations.map(([, , { operationId }]) => operationId as string)
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
  const verbs =
    'add|appeal|cancel|change|create|delete|disable|enable|explain|export|get|import|list|lookUp|merge|preview|put|replay|restore|revoke|rotate|send|set|start|stream|test|undo|unlock|update|verify|write'
  const isSaid = new RegExp(`^(${verbs})[A-Z][A-Za-z]+$`)
  expect(ids.filter((id) => !isSaid.test(id))).toEqual([])
})

test('parts of components are named by their parent and member', () => {
  const social = { type: 'object', properties: { title: { type: 'string' } } }
  const input = { ...social, additionalProperties: false }
  const kind = { anyOf: [{ type: 'string', enum: ['a', 'b'] }, { type: 'null' }] }
  const document = {
    components: {
      schemas: {
        LinkCreate: { properties: { social: input, kind }, additionalProperties: false },
        LinkPatch: {
          properties: { social: { ...input, type: ['object', 'null'], description: 'Text.' } },
          additionalProperties: false,
        },
        Link: { properties: { social, tags: { type: 'array', items: social } } },
        Shared: {
          allOf: [
            { $ref: '#/components/schemas/Link' },
            { properties: { extra: { type: 'string' } } },
          ],
        },
      },
    },
  }
  const { schemas } = nameSchemas(structuredClone(document)).components as Any
  const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
  const members = { social: ref('LinkSocial'), tags: { type: 'array', items: ref('LinkTag') } }
  expect(schemas).toEqual({
    LinkCreate: {
      properties: {
        social: ref('LinkSocialInput'),
        kind: { anyOf: [ref('LinkKind'), { type: 'null' }] },
      },
      additionalProperties: false,
    },
    LinkPatch: {
      properties: {
        social: { anyOf: [ref('LinkSocialInput'), { type: 'null' }], description: 'Text.' },
      },
      additionalProperties: false,
    },
    Link: { properties: members },
    Shared: { type: 'object', properties: { ...members, extra: { type: 'string' } }, required: [] },
    LinkSocial: social,
    LinkTag: social,
    LinkSocialInput: input,
    LinkKind: { type: 'string', enum: ['a', 'b'] },
  })
})
