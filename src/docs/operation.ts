import { type Html, html, inline, prose } from './html.ts'
import { membersTable, nameOfRef, type Schema, table, typeOf } from './schema.ts'

interface Ref {
  $ref?: string
}
interface Parameter extends Ref {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
}
interface Content {
  schema?: Schema
  example?: unknown
}
interface Response {
  description?: string
  content?: Record<string, Content>
}

/** One endpoint, as the document has it. */
export interface Operation {
  operationId?: string
  tags?: string[]
  summary?: string
  description?: string
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  requestBody?: { content?: Record<string, Content> }
  responses?: Record<string, Response>
}

/** The document's own components, by kind and name. */
export interface Components {
  schemas?: Record<string, Schema>
  parameters?: Record<string, Parameter>
}

/** An endpoint's section: what it takes, what it answers, and a call to copy. */
export function operationSection(
  method: string,
  path: string,
  operation: Operation,
  components: Components,
  baseUrl: string,
): Html {
  const verb = method.toUpperCase()
  const scopes = operation.security?.flatMap((scheme) => Object.values(scheme).flat()) ?? []
  const body = operation.requestBody?.content?.['application/json']
  return html`<section>
<h3 id="${operation.operationId}"><code><span class="verb">${verb}</span> ${path}</code></h3>
<p>${inline(operation.summary)}${scopes.map((scope) => html` <span class="dim">Scope <code>${scope}</code>.</span>`)}</p>
${prose(operation.description)}
<pre tabindex="0"><code>${curlOf(verb, path, scopes.length > 0, body?.example, baseUrl)}</code></pre>
${parametersTable(operation.parameters ?? [], components)}
${body?.schema && html`<h4>Body</h4>${schemaView(body.schema, components)}`}
<h4>Answers</h4>
${answersTable(operation.responses ?? {})}
${exampleOf(operation.responses ?? {})}
</section>`
}

function curlOf(
  verb: string,
  path: string,
  needsKey: boolean,
  example: unknown,
  baseUrl: string,
): string {
  const filled = path.replace('{id}', 'LINK_ID')
  const lines = [`curl ${verb === 'GET' ? '' : `-X ${verb} `}'${baseUrl}${filled}'`]
  if (needsKey) lines.push(`-H 'Authorization: Bearer <API_KEY>'`)
  if (example !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`)
    lines.push(`-d '${JSON.stringify(example).replaceAll("'", String.raw`'\''`)}'`)
  }
  return lines.join(' \\\n  ')
}

function parametersTable(parameters: readonly Parameter[], components: Components) {
  // The endpoint's own stand before those that every endpoint has.
  const isShared = ({ $ref }: Ref) => Number($ref !== undefined)
  const resolved = parameters
    .toSorted((a, b) => isShared(a) - isShared(b))
    .map((parameter) =>
      parameter.$ref === undefined
        ? parameter
        : (components.parameters?.[nameOfRef(parameter.$ref)] ?? parameter),
    )
  if (resolved.length === 0) return undefined
  return html`<h4>Parameters</h4>${table(
    ['Name', 'Type', 'Meaning'],
    resolved.map((parameter) => [
      html`<code>${parameter.name}</code> <span class="dim">${parameter.in}</span>`,
      typeOf(parameter.schema ?? {}),
      inline(parameter.description ?? parameter.schema?.description),
    ]),
  )}`
}

function schemaView(schema: Schema, components: Components): Html {
  const resolved = schema.$ref ? components.schemas?.[nameOfRef(schema.$ref)] : schema
  return membersTable(resolved ?? {}) ?? html`<p>${typeOf(schema)}</p>`
}

function answersTable(responses: Readonly<Record<string, Response>>): Html {
  return table(
    ['Status', 'Body', 'Meaning'],
    Object.entries(responses).map(([status, { description = '', content }]) => {
      const schema = content?.['application/json']?.schema
      const isError = Number(status) >= 400
      return [
        status,
        schema === undefined ? '–' : typeOf(schema),
        isError
          ? html`${description.split(', ').map((code) => html`<a href="#${code}">${code}</a> `)}`
          : inline(description),
      ]
    }),
  )
}

function exampleOf(responses: Readonly<Record<string, Response>>): Html | undefined {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))?.[1]
  const example = success?.content?.['application/json']?.example
  if (example === undefined) return undefined
  return html`<pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>`
}
