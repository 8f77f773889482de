import type { OpenApiParts, Schema } from './openapi-share.ts'

type Node = Schema & Record<string, unknown>

const REF = '#/components/schemas/'
const INT32_MAX = 2 ** 31 - 1

/**
 * Describes responses so that they can grow: no object is closed and no enum is, and clients that
 * are generated from the document keep working when a member or a value is added. Requests stay
 * strict: what both use becomes two schemas, `Name` and `NameInput`. Gives integers a size, and
 * leaves out what generators can't read: null in enums, enums of booleans, several types, unions with
 * lists. Modifies
 * the document, and returns it.
 */
export function letGrow<D extends object>(document: D): D {
  const { paths = {}, components } = document as unknown as OpenApiParts
  const schemas = (components?.schemas ?? {}) as Record<string, Node>
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const requests = [
    components?.parameters,
    operations.map((one) => [one.parameters, one.requestBody]),
  ]
  const responses = [components?.responses, operations.map((one) => one.responses)]
  const sent = reached(requests, schemas)
  const received = reached(responses, schemas)
  const both = [...sent].filter((name) => received.has(name))
  for (const name of both) schemas[`${name}Input`] = structuredClone(schemas[name] as Node)
  const strict = [...sent].map((name) => schemas[both.includes(name) ? `${name}Input` : name])
  for (const part of [requests, strict]) {
    walk(part, (node) => {
      const name = node.$ref?.slice(REF.length) ?? ''
      if (node.$ref?.startsWith(REF) && both.includes(name)) node.$ref = `${REF}${name}Input`
    })
  }
  walk([responses, [...received].map((name) => schemas[name])], open)
  walk([document], simplify)
  return document
}

/** Calls back for every object below a value, except in examples. */
function walk(value: unknown, visit: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value as Node)
  for (const [key, member] of Object.entries(value)) {
    if (key !== 'example' && key !== 'examples') walk(member, visit)
  }
}

/** The names of all schemas that a value refers to, also by other schemas. */
function reached(value: unknown, schemas: Readonly<Record<string, Node>>): Set<string> {
  const names = new Set<string>()
  const visit = ({ $ref }: Node) => {
    const name = typeof $ref === 'string' && $ref.startsWith(REF) ? $ref.slice(REF.length) : ''
    if (name === '' || names.has(name)) return
    names.add(name)
    walk(schemas[name], visit)
  }
  walk(value, visit)
  return names
}

function open(node: Node): void {
  if (node.additionalProperties === false) delete node.additionalProperties
  if (!Array.isArray(node.enum)) return
  const values = node.enum.filter((value) => value !== null)
  delete node.enum
  delete node['x-enum-varnames']
  if (values.every((value) => typeof value === 'boolean')) return
  node['x-extensible-enum'] = values
  const listed = values.map((value) => `\`${value}\``).join(', ')
  const known = `Known values: ${listed}. More may be added.`
  node.description = node.description === undefined ? known : `${node.description} ${known}`
}

/** A union with lists or maps becomes any value: Java has no classes for such choices. */
function widen(node: Node): void {
  const choices = node.anyOf ?? node.oneOf ?? []
  const others = choices.filter(({ type }) => type !== 'null')
  const isGeneric = ({ type, properties }: Schema) =>
    type === 'array' || (type === 'object' && properties === undefined)
  if (others.length < 2 || !others.some(isGeneric)) return
  const text = `${others.map(nameOf).join(', or ')}.`
  node.description = [node.description, `${text.charAt(0).toUpperCase()}${text.slice(1)}`]
    .filter((part) => part !== undefined)
    .join(' ')
  delete node.anyOf
  delete node.oneOf
}

/** A choice in words: `a list of strings`. */
function nameOf({ $ref, type, items }: Schema): string {
  if ($ref !== undefined) return `\`${$ref.slice(REF.length)}\``
  if (type !== 'array') return `${type === 'object' ? 'an' : 'a'} ${type}`
  return `a list of ${items?.$ref === undefined ? `${items?.type}s` : nameOf(items)}`
}

function simplify(node: Node): void {
  widen(node)
  const types = [node.type ?? []].flat()
  if (types.includes('number')) node.format ??= 'double'
  if (types.includes('integer')) node.format ??= sizeOf(node)
  const values = node.enum
  if (Array.isArray(values) && types.includes('boolean')) delete node.enum
  const others = types.filter((type) => type !== 'null')
  const isNullableEnum = Array.isArray(node.enum) && types.length > others.length
  if (others.length < 2 && !isNullableEnum) return
  const choices: Schema[] = others.map((type) => ({
    type,
    ...((type === 'integer' || others.length === 1) && node.format && { format: node.format }),
    ...(type === 'string' && node.minLength !== undefined && { minLength: node.minLength }),
    ...(Array.isArray(node.enum) && { enum: node.enum.filter((value) => value !== null) }),
  }))
  if (types.length > others.length) choices.push({ type: 'null' })
  node.anyOf = choices
  delete node.type
  delete node.minLength
  delete node.enum
  delete node.format
}

/** The size of an integer by its known values or its maximum. */
function sizeOf({ enum: values, 'x-extensible-enum': known, maximum }: Node): string {
  const largest = Math.max(...((values ?? known ?? [maximum]) as number[]).map((n) => n ?? 2 ** 53))
  return largest <= INT32_MAX ? 'int32' : 'int64'
}
