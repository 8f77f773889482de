/** The part of JSON Schema that the document uses. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  format?: string
  enum?: unknown[]
  /** Known values of an open enum. */
  'x-extensible-enum'?: unknown[]
  items?: Schema
  properties?: Record<string, Schema>
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
  shareParameters(operations, components.parameters)
  shareHeaders(operations, components.headers)
  shareErrors(operations, components.responses)
  shareExamples(operations, components.schemas ?? {})
  return document
}

function shareParameters(operations: readonly Operation[], shared: Record<string, Parameter>) {
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
  for (const operation of operations) {
    if (operation.parameters === undefined) continue
    operation.parameters = operation.parameters.map((parameter) => {
      const { $ref } = parameter
      const isShared = $ref === undefined && (uses.get(JSON.stringify(parameter)) ?? 0) >= SHARED_BY
      return isShared ? (share(parameterKey(parameter.name), parameter) as Parameter) : parameter
    })
  }
}

function shareErrors(operations: readonly Operation[], shared: Record<string, ResponsePart>) {
  const share = sharer('responses', shared)
  for (const { responses = {} } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if (status === '304') responses[status] = share('NotModified', response)
      else if (Number(status) >= 400) responses[status] = share(`Error${status}`, response)
    }
  }
}

function shareHeaders(operations: readonly Operation[], shared: Record<string, object>) {
  const share = sharer('headers', shared)
  for (const { responses = {} } of operations) {
    for (const { headers = {} } of Object.values(responses)) {
      for (const [name, header] of Object.entries(headers)) {
        if (!('$ref' in header)) headers[name] = share(name, header)
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

/** Makes a component of each distinct value, and returns a reference to it. */
function sharer<T extends object>(kind: string, shared: Record<string, T>) {
  return (name: string, value: T) => {
    for (let n = 1; ; n++) {
      const key = n === 1 ? name : `${name}V${n}`
      shared[key] ??= value
      if (Bun.deepEquals(shared[key], value)) return { $ref: `#/components/${kind}/${key}` }
    }
  }
}

/** The component name of a parameter: `LinkParam`, so that it can't be a schema's. */
export function parameterKey(name: string): string {
  // A leading minus marks parameters that exclude values.
  const words = name
    .replace(/^-/, 'not_')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '')
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Param`
}
