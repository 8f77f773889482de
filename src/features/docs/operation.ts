import type {
  OpenApiParts,
  Operation,
  Parameter,
  ResponsePart,
  Schema,
} from '../../http/openapi-share.ts'
import { entries, type Html, html, inline, membersOf, nameOfRef, prose, typeOf } from './schema.ts'

type Components = NonNullable<OpenApiParts['components']>

/** An endpoint's section: parameters, responses, and a call to copy. */
export function operationSection(
  method: string,
  path: string,
  operation: Operation,
  components: Components,
  baseUrl: string,
): Html {
  const verb = method.toUpperCase()
  const parameters = resolvedParameters(operation, components)
  const scopes = operation.security?.flatMap((scheme) => Object.values(scheme).flat()) ?? []
  const body = operation.requestBody?.content?.['application/json']
  const responses = operation.responses ?? {}
  return html`<section>
<h3 id="${operation.operationId}">${operation.summary}</h3>
<p class="path"><code><span class="verb">${verb}</span> ${path}</code> ${scopes.map((scope, i) => html`<span class="dim">${i === 0 ? 'needs' : 'or'} <code>${scope}</code></span> `)}</p>
${prose(operation.description)}
<pre tabindex="0"><code>${curlOf(verb, baseUrl + filledIn(path, parameters), operation)}</code></pre>
${parametersList(parameters, components)}
${body?.schema && html`<h4>Body</h4>${bodyView(body.schema, components)}`}
<h4>Answers</h4>
${answersList(responses, components)}
${exampleOf(responses, components)}
</section>
`
}

/** The path with example values of its parameters, so that a copied call works. */
function filledIn(path: string, parameters: readonly Parameter[]): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'id') return 'LINK_ID'
    return String(parameters.find((each) => each.name === name)?.schema?.example ?? name)
  })
}

function curlOf(
  verb: string,
  url: string,
  { security, requestBody, responses }: Operation,
): string {
  const options = verb === 'GET' ? howToTake(responses) : `-X ${verb} `
  const lines = [`curl ${options}'${url}'`]
  if (security?.length) lines.push(`-H 'Authorization: Bearer <API_KEY>'`)
  const example = requestBody?.content?.['application/json']?.example
  if (example !== undefined) {
    lines.push(`-H 'Content-Type: application/json'`)
    const json = JSON.stringify(example, null, 2).replaceAll('\n', '\n  ')
    lines.push(`-d '${json.replaceAll("'", String.raw`'\''`)}'`)
  }
  return lines.join(' \\\n  ')
}

/** How curl receives the response: a stream is shown as it arrives, a file is saved. */
function howToTake(responses: Operation['responses'] = {}): string {
  const types = Object.keys(responses['200']?.content ?? { 'application/json': {} })
  if (types.includes('text/event-stream')) return '-N '
  return types.some((type) => type.startsWith('application/json')) ? '' : '-O '
}

function resolvedParameters({ parameters = [] }: Operation, components: Components): Parameter[] {
  return parameters.map(
    (parameter) => components.parameters?.[nameOfRef(parameter.$ref ?? '')] ?? parameter,
  )
}

/** The endpoint's own parameters with descriptions, and shared ones by name. */
function parametersList(parameters: readonly Parameter[], components: Components) {
  if (parameters.length === 0) return undefined
  const shared = sharedParameters(components)
  const own: Parameter[] = []
  const names: string[] = []
  for (const parameter of parameters) {
    if (shared.includes(parameter)) names.push(parameter.name)
    else own.push(parameter)
  }
  return html`<h4>Parameters</h4>
${own.length > 0 && entries(own.map(parameterEntry))}
${names.length > 0 && html`<p><a href="#parameters">Shared</a>: <code>${names.join(' ')}</code></p>`}`
}

/** The parameters that mean the same for every endpoint, described once. */
export function sharedParameters({ parameters = {} }: Components): Parameter[] {
  return Object.entries(parameters).flatMap(([key, parameter]) =>
    key.endsWith('Param') && parameter.in !== 'path' ? [parameter] : [],
  )
}

/** A parameter's line in a list. */
export function parameterEntry(parameter: Parameter) {
  return {
    name: html`<code>${parameter.name}</code>`,
    kind: html`${parameter.in}, ${typeOf(parameter.schema ?? {})}`,
    meaning: inline(parameter.description ?? parameter.schema?.description),
  }
}

function bodyView(schema: Schema, components: Components): Html {
  const resolved = schema.$ref ? components.schemas?.[nameOfRef(schema.$ref)] : schema
  return membersOf(resolved ?? {}, 'required') ?? html`<p>${typeOf(schema)}</p>`
}

function answersList(
  responses: Readonly<Record<string, ResponsePart>>,
  components: Components,
): Html {
  return entries(
    Object.entries(responses).map(([status, response]) => {
      const shared = components.responses?.[nameOfRef(response.$ref ?? '')]
      const { description = '', headers = {}, content } = { ...shared, ...response }
      const schema = content?.['application/json']?.schema
      const own = Object.keys(headers)
      const meaning =
        Number(status) >= 400
          ? description.split(', ').map((code) => html`<a href="/docs/errors#${code}">${code}</a> `)
          : inline(description)
      return {
        name: html`<code>${status}</code>`,
        kind: schema && typeOf(schema),
        meaning: html`${meaning}${own.length > 0 && html` <span class="dim">with ${own.join(', ')}</span>`}`,
      }
    }),
  )
}

function exampleOf(
  responses: Readonly<Record<string, ResponsePart>>,
  components: Components,
): Html | undefined {
  const success = Object.entries(responses).find(([status]) => status.startsWith('2'))
  const content = success?.[1].content?.['application/json']
  const object = components.schemas?.[nameOfRef(content?.schema?.$ref ?? '')]
  const item = components.schemas?.[nameOfRef(object?.properties?.data?.items?.$ref ?? '')]
  const example = content?.example ?? object?.example ?? (item && { data: [item.example] })
  if (example === undefined) return undefined
  return html`<details><summary>Example of a ${success?.[0]}</summary>
<pre tabindex="0"><code>${JSON.stringify(example, null, 2)}</code></pre>
</details>`
}
