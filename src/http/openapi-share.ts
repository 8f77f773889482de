/** The part of JSON Schema that the document uses. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  /** Known values of an open enum. */
  'x-extensible-enum'?: unknown[]
  items?: Schema
  title?: string
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  description?: string
  default?: unknown
  example?: unknown
  maxLength?: number
  maxItems?: number
  minimum?: number
  maximum?: number
}

/** A parameter of an endpoint. */
export interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}

/** A body of one media type. */
export interface Content {
  schema?: Schema
  example?: unknown
}

/** A response of an endpoint. */
export interface ResponsePart {
  $ref?: string
  description?: string
  headers?: Record<string, object>
  content?: Record<string, Content>
}

/** An endpoint in the document. */
export interface Operation {
  operationId?: string
  tags?: string[]
  summary?: string
  description?: string
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { content?: Record<string, Content> }
  responses?: Record<string, ResponsePart>
}

/** The part of an OpenAPI document that this module and the reference page read. */
export interface OpenApiParts {
  info: { title: string; version: string; description?: string }
  tags?: { name: string }[]
  paths?: Record<string, Record<string, Operation>>
  components?: {
    schemas?: Record<string, Schema>
    parameters?: Record<string, Parameter>
    responses?: Record<string, ResponsePart>
    headers?: Record<string, object>
  }
}

/** A parameter of this many endpoints becomes a component. */
const SHARED_BY = 3

/**
 * Moves what several operations have in common to the components: parameters, headers, and errors,
 * which would otherwise be most of the document. Modifies the document, and returns it.
 */
export function shareComponents<D extends object>(document: D): D {
  const { paths = {}, components } = document as unknown as OpenApiParts
  if (components === undefined) return document
  components.parameters ??= {}
  components.responses ??= {}
  components.headers ??= {}
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  shareParameters(paths, components.parameters)
  shareHeaders(operations, components.headers)
  shareErrors(paths, components.responses)
  shareExamples(operations, components.schemas ?? {})
  return document
}

function shareParameters(
  paths: Readonly<Record<string, Record<string, Operation>>>,
  shared: Record<string, Parameter>,
) {
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const uses = new Map<string, number>()
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    // The default.
    if (parameter.required === false) delete parameter.required
    const { schema, description } = parameter
    if (schema !== undefined && schema.description === description) delete schema.description
    const text = JSON.stringify(parameter)
    uses.set(text, (uses.get(text) ?? 0) + 1)
  }
  const share = sharer('parameters', shared)
  for (const [path, item] of Object.entries(paths)) {
    const segments = path.split('/').filter((segment) => segment !== '')
    for (const operation of Object.values(item)) {
      if (operation.parameters === undefined) continue
      operation.parameters = operation.parameters.map((parameter) => {
        if (parameter.$ref !== undefined) return parameter
        if ((uses.get(JSON.stringify(parameter)) ?? 0) < SHARED_BY) return parameter
        return share(parameterNames(parameter, segments), parameter) as Parameter
      })
    }
  }
}

/**
 * The possible names of a parameter's component, best first: `LinkIdPathParam`, `FromParam`,
 * `ClicksFromParam`.
 */
function parameterNames(parameter: Parameter, segments: readonly string[]): string[] {
  const { name } = parameter
  if (parameter.in === 'path') {
    const kind = segments[segments.indexOf(`{${name}}`) - 1] ?? ''
    return [`${pascal(name === 'id' ? `${singular(kind)}_id` : name)}PathParam`]
  }
  const collection = segments.findLast((segment) => !segment.startsWith('{')) ?? ''
  return [parameterKey(name), `${pascal(collection.replace(/\..*/, ''))}${parameterKey(name)}`]
}

/** Names and descriptions of error responses, which operations describe by their codes. */
const FAILURES: Readonly<Record<string, [name: string, description: string]>> = {
  304: ['NotModified', 'Not modified.'],
  400: ['BadRequest', 'The request is malformed.'],
  401: ['Unauthorized', 'A valid API key is missing.'],
  403: ['Forbidden', 'The request isn’t permitted.'],
  404: ['NotFound', 'The object doesn’t exist.'],
  409: ['Conflict', 'The request conflicts with something that exists.'],
  410: ['Gone', 'The object isn’t available any more.'],
  412: ['PreconditionFailed', 'The object has another version.'],
  413: ['PayloadTooLarge', 'The body is too large.'],
  415: ['UnsupportedMediaType', 'The media type of the body isn’t supported.'],
  422: ['ValidationFailed', 'The request is invalid.'],
  429: ['RateLimited', 'There are too many requests.'],
  500: ['InternalError', 'The server failed.'],
  502: ['BadGateway', 'Another service failed.'],
  503: ['ServiceUnavailable', 'The service is temporarily unavailable.'],
  504: ['GatewayTimeout', 'Another service took too long.'],
}

/** An operation refers to the response of the status, and lists its codes as the description. */
function shareErrors(
  paths: Readonly<Record<string, Record<string, Operation>>>,
  shared: Record<string, ResponsePart>,
) {
  const share = sharer('responses', shared)
  const operations = Object.values(paths).flatMap((item) => Object.entries(item))
  for (const [method, { responses = {} }] of operations) {
    for (const [status, { description: codes, ...response }] of Object.entries(responses)) {
      const [name, description] = FAILURES[status] ?? []
      if (name === undefined || description === undefined) continue
      const names = [name, `${pascal(method)}${name}`, `Public${name}`]
      const reference = share(names, { description, ...response })
      responses[status] =
        status === '304' ? reference : { ...reference, description: codes ?? description }
    }
  }
}

/** Headers that differ keep their places: no generator names them. */
function shareHeaders(operations: readonly Operation[], shared: Record<string, object>) {
  for (const { responses = {} } of operations) {
    for (const { headers = {} } of Object.values(responses)) {
      for (const [name, header] of Object.entries(headers)) {
        if ('$ref' in header) continue
        shared[name] ??= header
        if (!Bun.deepEquals(shared[name], header)) continue
        headers[name] = { $ref: `#/components/headers/${name}` }
      }
    }
  }
}

/**
 * Moves the example of an object to its schema, so that not every response repeats it. A list
 * doesn't need one if its item has one.
 */
function shareExamples(
  operations: readonly Operation[],
  schemas: Readonly<Record<string, Schema>>,
) {
  for (const { responses = {} } of operations) {
    for (const { schema, example } of contentsOf(responses)) {
      const object = schemas[schema?.$ref?.split('/').at(-1) ?? '']
      if (object === undefined || example === undefined) continue
      object.example ??= example
      if (!Bun.deepEquals(object.example, example)) continue
      for (const content of contentsOf(responses)) delete content.example
    }
  }
  for (const list of Object.values(schemas)) {
    const item = schemas[list.properties?.data?.items?.$ref?.split('/').at(-1) ?? '']
    if (item?.example !== undefined) delete list.example
  }
}

function contentsOf(responses: Readonly<Record<string, ResponsePart>>): Content[] {
  return Object.values(responses).flatMap(({ content = {} }) => Object.values(content))
}

/**
 * Makes a component of each distinct value under the first of its names that is free, and returns a
 * reference to it. @throws Error if none is free
 */
function sharer<T extends object>(kind: string, shared: Record<string, T>) {
  const known = new Map(
    Object.entries(shared).map(([name, value]) => [JSON.stringify(value), name]),
  )
  return (names: readonly string[], value: T): { $ref: string } => {
    const text = JSON.stringify(value)
    const name = known.get(text) ?? names.find((one) => !Object.hasOwn(shared, one))
    if (name === undefined) throw new Error(`${kind}: ${names.join(', ')} are not ${text}`)
    known.set(text, name)
    shared[name] ??= value
    return { $ref: `#/components/${kind}/${name}` }
  }
}

/** The component name of a parameter: `LinkParam`, so that it can't be a schema's. */
export function parameterKey(name: string): string {
  // A leading minus marks parameters that exclude values.
  return `${pascal(name.replace(/^-/, 'not_'))}Param`
}

/** `link_id` as `LinkId`. */
export function pascal(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
}

/** `domains` as `domain`. */
export function singular(name: string): string {
  return name.length < 4 ? name : name.replace(/ies$/, 'y').replace(/(?<=[^s])s$/, '')
}
