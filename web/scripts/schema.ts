// Writes the types of the API clients from the OpenAPI documents: the dashboard's
// (src/api/schema.d.ts) from that of the public API and its own (openapi.json in this folder), and
// the SDK's (sdk/typescript/src/schema.ts) from that of the public API. With --check it only reports
// whether the files are up to date.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  prefixItems?: Schema[]
  additionalProperties?: boolean | Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  nullable?: boolean
  description?: string
}
interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  schema?: Schema
}
interface Media {
  content?: Record<string, { schema?: Schema }>
}
interface Operation {
  parameters?: Parameter[]
  requestBody?: Media & { required?: boolean }
  responses?: Record<string, Media>
}
interface OpenApi {
  paths: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema>; parameters?: Record<string, Parameter> }
}

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']
const at = (path: string) => fileURLToPath(new URL(path, import.meta.url))

/** A property name, quoted if necessary. */
const name = (text: string) => (/^[A-Za-z_$][\w$]*$/.test(text) ? text : JSON.stringify(text))

function typeOf(schema: Schema | undefined): string {
  if (schema === undefined) return 'unknown'
  if (schema.$ref !== undefined) {
    return `components['schemas']['${schema.$ref.split('/').at(-1)}']`
  }
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((v) => JSON.stringify(v)).join(' | ')
  const options = schema.anyOf ?? schema.oneOf
  if (options !== undefined) return unique(options.map(typeOf)).join(' | ')
  if (schema.allOf !== undefined) return schema.allOf.map((s) => `(${typeOf(s)})`).join(' & ')
  const types = [schema.type ?? (schema.properties ? 'object' : 'unknown')].flat()
  if (schema.nullable) types.push('null')
  return unique(types.map((type) => simpleType(type, schema))).join(' | ')
}

function simpleType(type: string, schema: Schema): string {
  if (type === 'integer') return 'number'
  if (type === 'array') {
    if (schema.prefixItems) return `[${schema.prefixItems.map(typeOf).join(', ')}]`
    return `(${typeOf(schema.items)})[]`
  }
  if (type !== 'object') return type
  const { properties, additionalProperties: more } = schema
  const parts: string[] = []
  if (properties) parts.push(objectType(properties, schema.required ?? []))
  if (more) parts.push(`{ [name: string]: ${more === true ? 'unknown' : typeOf(more)} }`)
  return parts.join(' & ') || 'Record<string, unknown>'
}

function objectType(properties: Record<string, Schema>, required: readonly string[]): string {
  const members = Object.entries(properties).map(([key, schema]) => {
    const comment = schema.description
      ? `\n/** ${schema.description.replaceAll('*/', '* /').replaceAll('\n', ' ')} */\n`
      : ''
    return `${comment}${name(key)}${required.includes(key) ? '' : '?'}: ${typeOf(schema)}`
  })
  return `{${members.join(';')}}`
}

const unique = (texts: string[]) => [...new Set(texts)]

/** Without what the client doesn't read: the headers of answers, and answers without success. */
function operationType(operation: Operation, shared: Record<string, Parameter>): string {
  const { parameters = [], requestBody, responses = {} } = operation
  const all = parameters.map((parameter) =>
    parameter.$ref ? (shared[parameter.$ref.split('/').at(-1) as string] as Parameter) : parameter,
  )
  const places = Object.entries(Object.groupBy(all, (one) => one.in)).map(([place, here = []]) => {
    const members = here.map(
      (one) => `${name(one.name)}${one.required ? '' : '?'}: ${typeOf(one.schema)}`,
    )
    return `${place}${here.some((one) => one.required) ? '' : '?'}: {${members.join(';')}}`
  })
  const body = requestBody
    ? `requestBody${requestBody.required === false ? '?' : ''}: ${mediaType(requestBody)};`
    : ''
  const answers = Object.entries(responses)
    .filter(([status]) => status.startsWith('2'))
    .map(([status, answer]) => `${status}: ${mediaType(answer)}`)
  return `{parameters: {${places.join(';')}};${body}responses: {${answers.join(';')}}}`
}

function mediaType({ content }: Media): string {
  if (!content) return '{ content?: never }'
  const types = Object.entries(content).map(
    ([type, { schema }]) => `${name(type)}: ${typeOf(schema)}`,
  )
  return `{content: {${types.join(';')}}}`
}

function generate(documents: OpenApi[]): string {
  const paths: Record<string, string> = {}
  const schemas: Record<string, Schema> = {}
  for (const { paths: ours, components } of documents) {
    Object.assign(schemas, components?.schemas)
    for (const [path, item] of Object.entries(ours)) {
      const operations = METHODS.flatMap((method) => {
        const operation = item[method]
        if (operation === undefined) return []
        return `${method}: ${operationType(operation, components?.parameters ?? {})}\n`
      })
      // Most operations of the public API are the dashboard's, too.
      paths[path.replace(/^\/app/, '')] = `{\n${operations.join('')}}`
    }
  }
  const routes = Object.entries(paths).map(([path, item]) => `${name(path)}: ${item}\n`)
  const named: string[] = []
  // Those that the paths refer to: of a schema in both documents, only the last one's parts are needed.
  const texts = new Map(Object.entries(schemas).map(([key, schema]) => [key, typeOf(schema)]))
  const needed = refsIn(routes.join(''))
  for (const key of needed) for (const other of refsIn(texts.get(key) ?? '')) needed.add(other)
  for (const [key, text] of texts) if (needed.has(key)) named.push(`${name(key)}: ${text}\n`)
  return `// Made by web/scripts/schema.ts from the OpenAPI documents. Not to be edited.
export interface paths {\n${routes.join('')}}
export interface components { schemas: {\n${named.join('')}} }
`
}

/** The names of the schemas that types refer to. */
function refsIn(text: string): Set<string> {
  const refs = text.matchAll(/components\['schemas'\]\['([^']+)'\]/g)
  return new Set([...refs].map(([, key]) => key as string))
}

/** Formatted by Biome, so that the file passes the lint like all others. */
async function formatted(text: string): Promise<string> {
  const command = [at('../../node_modules/.bin/biome'), 'format', '--stdin-file-path=schema.d.ts']
  const { stdout, exited } = Bun.spawn(command, {
    cwd: at('../..'),
    stdin: new Blob([text]),
    stderr: 'inherit',
  })
  const out = await new Response(stdout).text()
  if ((await exited) !== 0) throw new Error('biome could not format the types')
  return out
}

const [publicApi, dashboard] = [at('../../openapi.json'), at('../openapi.json')].map((file) =>
  existsSync(file) ? [JSON.parse(readFileSync(file, 'utf8')) as OpenApi] : [],
) as [OpenApi[], OpenApi[]]
const targets = {
  'web/src/api/schema.d.ts': [...publicApi, ...dashboard],
  'sdk/typescript/src/schema.ts': publicApi,
}
for (const [name, documents] of Object.entries(targets)) {
  const target = at(`../../${name}`)
  const text = await formatted(generate(documents))
  if (!process.argv.includes('--check')) writeFileSync(target, text)
  else if (!existsSync(target) || readFileSync(target, 'utf8') !== text) {
    console.error(`${name} is not what the OpenAPI documents say: run \`npm run openapi\``)
    process.exit(1)
  }
}
