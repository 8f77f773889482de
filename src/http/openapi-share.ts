interface Parameter {
  $ref?: string
  name?: string
  in?: string
}

interface Document {
  paths?: Record<string, Record<string, { parameters?: Parameter[] }>>
  components?: { parameters?: Record<string, Parameter> }
}

/** A parameter that so many endpoints have is written down once. */
const SHARED_BY = 3

/**
 * Moves query parameters that several endpoints declare alike to the components: the filters of
 * statistics would else be most of the document. Changes the document, and gives it back.
 */
export function shareParameters<D extends object>(document: D): D {
  const { paths = {}, components } = document as Document
  const shared = components?.parameters
  if (shared === undefined) return document
  const operations = Object.values(paths).flatMap((path) => Object.values(path))
  const uses = new Map<string, number>()
  for (const parameter of operations.flatMap(({ parameters = [] }) => parameters)) {
    if (parameter.in !== 'query') continue
    const text = JSON.stringify(parameter)
    uses.set(text, (uses.get(text) ?? 0) + 1)
  }
  const keys = new Map<string, string>()
  for (const { parameters } of operations) {
    for (const [i, parameter] of (parameters ?? []).entries()) {
      const text = JSON.stringify(parameter)
      if ((uses.get(text) ?? 0) < SHARED_BY) continue
      let key = keys.get(text)
      if (key === undefined) {
        key = freeKey(shared, parameter.name as string)
        keys.set(text, key)
        shared[key] = parameter
      }
      ;(parameters as Parameter[])[i] = { $ref: `#/components/parameters/${key}` }
    }
  }
  return document
}

/** Two parameters of one name may mean different things. */
function freeKey(taken: object, name: string): string {
  for (let n = 1; ; n++) {
    const key = n === 1 ? name : `${name}-${n}`
    if (!Object.hasOwn(taken, key)) return key
  }
}
