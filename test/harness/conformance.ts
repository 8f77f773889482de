import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'

interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object> }
}

interface Operation {
  responses: Record<string, { content?: Record<string, { schema: object }> }>
}

/** Holds answers against the OpenAPI document. */
export interface Conformance {
  readonly document: OpenApi
  /** What is wrong with an answer, or null. `path` is the template, as the document has it. */
  violation(method: string, path: string, answer: Response, body: string): string | null
}

/** Reads the document that the server itself serves. */
export async function loadConformance(url: string): Promise<Conformance> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const compiled = new Map<string, ValidateFunction | null>()

  function validator(method: string, path: string, status: number): ValidateFunction | null {
    const id = `${method} ${path} ${status}`
    let validate = compiled.get(id)
    if (validate === undefined) {
      const operation = document.paths[path]?.[method.toLowerCase()]
      const found = operation?.responses[String(status)] === undefined ? 'default' : String(status)
      const schema = operation?.responses[found]?.content?.['application/json']?.schema
      const pointer = `#/paths/${pointerPart(path)}/${method.toLowerCase()}/responses/${found}/content/${pointerPart('application/json')}/schema`
      validate = schema === undefined ? null : ajv.compile({ $ref: `openapi${pointer}` })
      compiled.set(id, validate)
    }
    return validate
  }

  return {
    document,
    violation(method, path, answer, body) {
      const operation = document.paths[path]?.[method.toLowerCase()]
      if (operation === undefined) return `${method} ${path} is not in the document`
      const { status } = answer
      if (operation.responses[String(status)] === undefined && !operation.responses.default) {
        return `${method} ${path} answered ${status}, which the document does not name`
      }
      if (body === '') return null
      const content = operation.responses[String(status)]?.content ?? {}
      // What is no JSON has no schema to be held against; the document says what it is.
      const type = answer.headers.get('content-type') ?? ''
      if (!type.startsWith('application/json')) {
        return type in content
          ? null
          : `${method} ${path} ${status} is ${type}, not so the document`
      }
      const validate = validator(method, path, status)
      if (validate === null) return `${method} ${path} ${status} has a body the document lacks`
      let json: unknown
      try {
        json = JSON.parse(body)
      } catch {
        return `${method} ${path} ${status} is not JSON: ${body.slice(0, 100)}`
      }
      if (validate(json)) return null
      return `${method} ${path} ${status}: ${ajv.errorsText(validate.errors)} in ${body.slice(0, 300)}`
    },
  }
}

function pointerPart(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}
