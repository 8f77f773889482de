import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020'
import addFormats from 'ajv-formats'

interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, object>
    responses: Record<string, Described>
    parameters: Record<string, { name: string }>
  }
}

/** The document's description of an operation. */
export interface Operation {
  parameters?: { $ref?: string; name: string }[]
  requestBody?: { content: Record<string, { example?: unknown }> }
  responses: Record<string, Described | { $ref: string }>
}

/** The document's description of one status of an operation. */
interface Described {
  content?: Record<string, { schema: object }>
}

const RESPONSES = '#/components/responses/'

/** Checks responses against the OpenAPI document. */
export interface Conformance {
  readonly document: OpenApi
  /** The target of a reference. */
  parameter($ref: string): { name: string }
  /** What is wrong with a response, or null. `path` is the template of the document. */
  violation(method: string, path: string, answer: Response, body: string): string | null
}

/** Loads the document from the server. */
export async function loadConformance(url: string): Promise<Conformance> {
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApi
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true })
  addFormats.default(ajv)
  ajv.addSchema(document, 'openapi')
  const compiled = new Map<string, ValidateFunction | null>()

  /** The document's response for a status, and its location. */
  function describedResponse(method: string, path: string, status: number) {
    const responses = document.paths[path]?.[method.toLowerCase()]?.responses
    const found = responses?.[String(status)]
    if (found === undefined) return undefined
    if (!('$ref' in found)) {
      const pointer = `#/paths/${pointerPart(path)}/${method.toLowerCase()}/responses/${status}`
      return { response: found, pointer }
    }
    const response = document.components.responses[found.$ref.slice(RESPONSES.length)]
    if (response === undefined) throw new Error(`The document lacks ${found.$ref}`)
    return { response, pointer: found.$ref }
  }

  function validator(method: string, path: string, status: number): ValidateFunction | null {
    const id = `${method} ${path} ${status}`
    let validate = compiled.get(id)
    if (validate === undefined) {
      const described = describedResponse(method, path, status)
      validate =
        described?.response.content?.['application/json'] === undefined
          ? null
          : ajv.compile({
              $ref: `openapi${described.pointer}/content/${pointerPart('application/json')}/schema`,
            })
      compiled.set(id, validate)
    }
    return validate
  }

  return {
    document,
    parameter: ($ref) =>
      document.components.parameters[$ref.split('/').at(-1) as string] ?? { name: '' },
    violation(method, path, answer, body) {
      const operation = document.paths[path]?.[method.toLowerCase()]
      if (operation === undefined) return `${method} ${path} is not in the document`
      const { status } = answer
      const described = describedResponse(method, path, status)
      if (described === undefined) {
        return `${method} ${path} answered ${status}, which the document does not name`
      }
      if (body === '') return null
      const content = described.response.content ?? {}
      // Content other than JSON has no schema; the document has its media type.
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
