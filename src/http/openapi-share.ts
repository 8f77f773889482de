interface Parameter {
  $ref?: string
  name?: string
  in?: string
}
interface Response {
  $ref?: string
  description?: string
}
interface Operation {
  parameters?: Parameter[]
  responses?: Record<string, Response>
}
interface Document {
  paths?: Record<string, Record<string, Operation>>
  components?: {
    parameters?: Record<string, Parameter>
    responses?: Record<string, Response>
  }
}

/** A parameter that so many endpoints have becomes a component. */
const SHARED_BY = 3

/**
 * Moves what several operations declare alike to the components: query parameters, and the errors.
 * They would be most of the document otherwise. Changes the document, and returns it.
 */
export function shareComponents<D extends object>(document: D): D {
  const { paths = {}, components } = document as Document
  if (components === undefined) return document
  components.parameters ??= {}
  components.responses ??= {}
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  shareParameters(operations, components.parameters)
  shareErrors(operations, components.responses)
  return document
}

function shareParameters(operations: readonly Operation[], shared: Record<string, Parameter>) {
  const uses = new Map<string, number>()
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    if (parameter.in !== 'query') continue
    const text = JSON.stringify(parameter)
    uses.set(text, (uses.get(text) ?? 0) + 1)
  }
  const share = sharer('parameters', shared)
  for (const operation of operations) {
    if (operation.parameters === undefined) continue
    operation.parameters = operation.parameters.map((parameter) => {
      const isShared = (uses.get(JSON.stringify(parameter)) ?? 0) >= SHARED_BY
      return isShared ? share(parameterKey(parameter.name as string), parameter) : parameter
    })
  }
}

function shareErrors(operations: readonly Operation[], shared: Record<string, Response>) {
  const share = sharer('responses', shared)
  for (const { responses = {} } of operations) {
    for (const [status, response] of Object.entries(responses)) {
      if (Number(status) < 400) continue
      responses[status] = share(`Error${status}`, response)
    }
  }
}

/** Gives a component for each different text, and what refers to it. */
function sharer<T>(kind: string, shared: Record<string, T>) {
  const keys = new Map<string, string>()
  return (name: string, value: T): { $ref: string } => {
    const text = JSON.stringify(value)
    let key = keys.get(text)
    if (key === undefined) {
      key = freeKey(shared, name)
      keys.set(text, key)
      shared[key] = value
    }
    return { $ref: `#/components/${kind}/${key}` }
  }
}

/** The component of a parameter: `LinkParameter`, so that it doesn't meet a schema's name. */
export function parameterKey(name: string): string {
  const words = name.split(/[^A-Za-z0-9]+/).filter((word) => word !== '')
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Parameter`
}

/** Two parameters of one name may mean different things. */
function freeKey(taken: object, name: string): string {
  for (let n = 1; ; n++) {
    const key = n === 1 ? name : `${name}V${n}`
    if (!Object.hasOwn(taken, key)) return key
  }
}
