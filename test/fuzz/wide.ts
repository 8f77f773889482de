/** A JSON Schema of the documents. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  items?: Schema
  oneOf?: Schema[]
  anyOf?: Schema[]
  allOf?: Schema[]
  enum?: unknown[]
  example?: unknown
  maxItems?: number
}

/** A place in a body: names of members, and 0 for an item. */
export type Place = readonly (string | 0)[]

/** Resolves `$ref`, and lists the alternatives of a schema. */
export function createReader(schemas: Record<string, Schema>) {
  function alternatives(schema: Schema): Schema[] {
    if (schema.$ref !== undefined) {
      return alternatives(schemas[schema.$ref.split('/').at(-1) as string] as Schema)
    }
    const parts = [...(schema.oneOf ?? []), ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]
    return [schema, ...parts.flatMap(alternatives)]
  }

  /** All places of a body. */
  function placesOf(schema: Schema, at: Place = []): Place[] {
    if (at.length > 10) return []
    const found: Place[] = []
    for (const { properties = {}, items, additionalProperties: more } of alternatives(schema)) {
      for (const [name, inner] of Object.entries(properties)) {
        found.push([...at, name], ...placesOf(inner, [...at, name]))
      }
      if (typeof more === 'object') found.push([...at, 'x'], ...placesOf(more, [...at, 'x']))
      if (items !== undefined) found.push([...at, 0], ...placesOf(items, [...at, 0]))
    }
    return [...new Map(found.map((place) => [place.join('/'), place])).values()]
  }

  /** A body that is full everywhere: lists as long as they may be, with `leaf` in every place. */
  function filled(schema: Schema, leaf: unknown, depth = 0): unknown {
    const all = alternatives(schema)
    const listed = all.find(({ items }) => items !== undefined)
    if (depth > 10) return leaf
    if (listed?.items !== undefined) {
      const item = filled(listed.items, leaf, depth + 1)
      return new Array(Math.min(listed.maxItems ?? 100, 100)).fill(item)
    }
    const shaped = all.find(({ properties }) => properties !== undefined)
    if (shaped?.properties !== undefined) {
      const members = Object.entries(shaped.properties)
      return Object.fromEntries(
        members.map(([name, inner]) => [name, filled(inner, leaf, depth + 1)]),
      )
    }
    return leaf
  }
  return { placesOf, filled }
}

/** The JSON of a value at a place, within what the example has beside it. */
export function bodyWith(example: unknown, [name, ...rest]: Place, json: string): string {
  if (name === undefined) return json
  if (name === 0)
    return `[${bodyWith(Array.isArray(example) ? example[0] : undefined, rest, json)}]`
  const isObject = typeof example === 'object' && example !== null && !Array.isArray(example)
  const members = Object.entries(isObject ? example : {}).filter(([each]) => each !== name)
  const inner = isObject ? (example as Record<string, unknown>)[name] : undefined
  const all = members.map(([each, value]) => `${JSON.stringify(each)}:${JSON.stringify(value)}`)
  return `{${[...all, `${JSON.stringify(name)}:${bodyWith(inner, rest, json)}`].join(',')}}`
}

const list = (item: string, bytes: number) => `[${repeated(`${item},`, bytes - 2)}${item}]`
const text = (part: string, bytes: number) => `"${repeated(part, bytes - 2)}"`
const repeated = (part: string, bytes: number) =>
  part.repeat(Math.max(0, Math.floor((bytes - Buffer.byteLength(part)) / Buffer.byteLength(part))))
const members = (bytes: number, value = '1') => {
  const all: string[] = []
  for (let n = 0, size = 0; size < bytes - 40; n++) {
    const member = `"k${n.toString(36)}":${value}`
    size += member.length + 1
    all.push(member)
  }
  return `{${all.join(',')}}`
}

/** Values of a size in bytes that cost a careless program much. */
export const WIDE: Readonly<Record<string, (bytes: number) => string>> = {
  'list of numbers': (bytes) => list('1', bytes),
  'list of equal texts': (bytes) => list('"a"', bytes),
  'list of texts': (bytes) => {
    const some = Array.from({ length: Math.floor(bytes / 9) }, (_, n) => `"${n.toString(36)}"`)
    return `[${some.join(',')}]`
  },
  'list of objects': (bytes) => list('{}', bytes),
  'list of lists': (bytes) => list('[]', bytes),
  'list of nulls': (bytes) => list('null', bytes),
  'many members': (bytes) => members(bytes),
  'many members with lists': (bytes) => members(bytes, '["a"]'),
  'long member': (bytes) => `{${text('n', bytes - 4)}:1}`,
  'equal members': (bytes) => `{${repeated('"a":1,', bytes - 10)}"a":1}`,
  'deep lists': (bytes) => `[${repeated(`${'['.repeat(20)}${']'.repeat(20)},`, bytes - 4)}1]`,
  'deep objects': (bytes) => list(`${'{"a":'.repeat(20)}1${'}'.repeat(20)}`, bytes),
  'too deep': (bytes) => '['.repeat(bytes / 2) + ']'.repeat(bytes / 2),
  'long text': (bytes) => text('a', bytes),
  'text of spaces': (bytes) => text(' ', bytes),
  'text of dots': (bytes) => text('a.', bytes),
  'text of labels': (bytes) => `"https://${repeated('ü', bytes - 12)}/"`,
  'text of slashes': (bytes) => text('a/', bytes),
  'slashes within text': (bytes) => `"a${repeated('/', bytes - 5)}a"`,
  'spaces within text': (bytes) => `"a${repeated(' ', bytes - 5)}a"`,
  'text of braces': (bytes) => text('{query.', bytes),
  'text of digits': (bytes) => text('9', bytes),
  'text of colons': (bytes) => text('1:', bytes),
  'text of dashes': (bytes) => text('a-', bytes),
  'text of emoji': (bytes) => text('👩‍👩‍👧', bytes),
  // Each mark is sorted before the one it follows: what normalization costs is quadratic.
  'text of marks': (bytes) => text('\u0301\u0316', bytes),
  'text of escapes': (bytes) => text('\\u0041', bytes),
  'long number': (bytes) => `1${'0'.repeat(bytes - 2)}`,
  'broken at its end': (bytes) => `[${repeated('"\\n",', bytes - 8)}`,
}
