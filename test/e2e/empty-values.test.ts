import { afterAll, beforeAll, expect, test } from 'bun:test'
import openapi from '../../openapi.json'
import { type Slugline, startSlugline } from '../harness/process.ts'

// biome-ignore lint/suspicious/noExplicitAny: any part of a document or a body.
type Any = any
const document = openapi as Any

const SCOPES = [
  ...['links:read', 'links:write', 'domains:read', 'domains:write', 'keys:write'],
  ...['webhooks:read', 'webhooks:write', 'events:read', 'stats:read'],
].join(',')

/** What requests are about, by the first segment of their path; made before they are sent. */
const KINDS: Readonly<Record<string, object>> = {
  links: { destination_url: 'https://example.com/', slug: 'one', external_id: 'one' },
  tags: { name: 'one' },
  folders: { name: 'One' },
  domains: { host: 'go.example' },
  shares: { subject: { workspace: true } },
  keys: { name: 'one', scopes: ['links:read'] },
  webhooks: { url: 'http://127.0.0.1:9/', types: ['tag.deleted'] },
  'utm-templates': { name: 'One' },
}
/** Values of parameters in paths. */
const ids: Record<string, string> = { external_id: 'one', dimension: 'country' }

let slugline: Slugline
let key: string

beforeAll(async () => {
  slugline = await startSlugline({ OUTGOING_ALLOWED_NETWORKS: '127.0.0.0/8' })
  key = (await slugline.createKey({ plan: 'unlimited', scopes: SCOPES })).key
  for (const [kind, body] of Object.entries(KINDS)) {
    const made = await slugline.call('POST', `/api/v1/${kind}`, { key, body })
    ids[kind] = ((await made.json()) as Any).id
    expect(ids[kind], kind).toBeString()
  }
  const file = await fetch(`${slugline.url}/api/v1/imports`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/csv' },
    body: 'destination_url\nhttps://example.com/imported\n',
  })
  ids.imports = ((await file.json()) as Any).id
  ids.jobs = ids.imports as string
})
afterAll(() => slugline?.dispose())

/** A text or a list that a request may have, and where. */
interface Place {
  path: (string | number)[]
  schema: Any
}

function resolved(part: Any): Any {
  if (part?.$ref === undefined) return part
  return resolved(
    part.$ref
      .slice(2)
      .split('/')
      .reduce((at: Any, name: string) => at[name], document),
  )
}

/** All texts and lists below a schema. */
function placesOf(part: Any, path: Place['path'] = []): Place[] {
  const schema = resolved(part)
  const types = [schema.type].flat()
  const union = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]
  return [
    ...(types.includes('string') || types.includes('array') ? [{ path, schema }] : []),
    ...union.flatMap((choice) => placesOf(choice, path)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, member]) =>
      placesOf(member, [...path, name]),
    ),
    ...(schema.items === undefined ? [] : placesOf(schema.items, [...path, 0])),
  ]
}

/** A copy of a body with another value at a place. */
function withValue(body: Any, [first, ...rest]: Place['path'], value: unknown): Any {
  if (first === undefined) return value
  const inner = withValue(body?.[first], rest, value)
  if (typeof first === 'number') return [inner]
  return { ...body, [first]: inner }
}

const nameOf = (path: Place['path']) =>
  path
    .map((step, i) => (typeof step === 'number' ? `[${step}]` : i > 0 ? `.${step}` : step))
    .join('')

/** Whether a schema allows an empty value; undefined: others than texts and lists are meant. */
function allowsEmpty({ type, minLength, minItems, pattern, format, enum: values }: Any) {
  if ([type].flat().includes('array')) return !minItems
  if (pattern !== undefined || format !== undefined) return undefined
  return values === undefined ? !minLength : values.includes('')
}

/** Whether a response refuses a value, and which details do. */
async function refusal(answer: Response, field: string) {
  const text = await answer.text()
  if (answer.status < 400) return { isRefused: false, codes: [] }
  const details: Any[] = JSON.parse(text).error.details ?? []
  return {
    isRefused: true,
    // A member that may not be there at all isn't refused for its value.
    codes: details.flatMap(({ field: at, code }) =>
      at === field && code !== 'UNKNOWN_FIELD' ? code : [],
    ),
  }
}

/** The path of an operation with ids, or null where nothing was made for it. */
function pathWithIds(path: string): string | null {
  const kind = path.split('/')[3] as string
  const filled = path.replace('{id}', ids[kind] ?? '{id}')
  const all = filled.replaceAll(/\{(\w+)\}/g, (whole, name) => ids[name] ?? whole)
  return all.includes('{') ? null : all
}

/** Operations with their paths. */
function operations(wanted: (method: string) => boolean) {
  return Object.entries<Any>(document.paths).flatMap(([path, item]) =>
    Object.entries<Any>(item)
      .filter(([method]) => wanted(method))
      .flatMap(([method, operation]) => {
        const at = pathWithIds(path)
        return at === null ? [] : [{ method: method.toUpperCase(), at, operation }]
      }),
  )
}

test('bodies: an empty value is refused where the document says so, and only there', async () => {
  const wrong: string[] = []
  let tried = 0
  for (const { method, at, operation } of operations((method) => method !== 'get')) {
    const content = operation.requestBody?.content?.['application/json']
    if (content?.schema === undefined || content.example === undefined) continue
    for (const { path, schema } of placesOf(content.schema)) {
      const isAllowed = allowsEmpty(schema)
      // Operations of bulk requests have responses of their own, and the schemas of single ones.
      if (path.length === 0 || path[0] === 'operations' || isAllowed === undefined) continue
      const empty = [schema.type].flat().includes('array') ? [] : ''
      const body = withValue(content.example, path, empty)
      const field = nameOf(path)
      const answer = await slugline.call(method, at, { key, body })
      const { isRefused, codes } = await refusal(answer, field)
      tried++
      if (isAllowed ? codes.length > 0 : !isRefused) {
        wrong.push(`${operation.operationId} ${field}: ${codes.join(' ') || 'accepted'}`)
      }
    }
  }
  expect(wrong).toEqual([])
  expect(tried).toBeGreaterThan(250)
})

test('queries: an empty value is refused where the document says so, and only there', async () => {
  const wrong: string[] = []
  let tried = 0
  for (const { method, at, operation } of operations((method) => method === 'get')) {
    if (at.endsWith('/stream')) continue
    for (const parameter of (operation.parameters ?? []).map(resolved)) {
      if (parameter.in !== 'query' || parameter.name === 'lang') continue
      const { type, items } = resolved(parameter.schema)
      const schema = type === 'array' ? resolved(items) : resolved(parameter.schema)
      if (schema.type !== 'string') continue
      const isAllowed = allowsEmpty(schema)
      if (isAllowed === undefined) continue
      const answer = await slugline.call(method, `${at}?${parameter.name}=`, { key })
      const { isRefused, codes } = await refusal(answer, parameter.name)
      tried++
      if (isAllowed ? codes.length > 0 : !isRefused) {
        wrong.push(`${operation.operationId} ${parameter.name}: ${codes.join(' ') || 'accepted'}`)
      }
    }
  }
  expect(wrong).toEqual([])
  expect(tried).toBeGreaterThan(250)
})

test('a parameter that may be repeated says how often', () => {
  const unbounded = operations(() => true).flatMap(({ operation }) =>
    (operation.parameters ?? [])
      .map(resolved)
      .filter(({ schema }: Any) => schema.type === 'array' && schema.maxItems === undefined)
      .map(({ name }: Any) => `${operation.operationId} ${name}`),
  )
  expect(unbounded).toEqual([])
})
