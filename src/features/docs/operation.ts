import type {
  OpenApiParts,
  Operation,
  Parameter,
  ResponsePart,
  Schema,
} from '../../http/openapi-share.ts'
import { SAMPLE_LANGUAGES, type Samples, sampleRequest, samplesOf } from './samples.ts'
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
  const body = operation.requestBody?.content?.['application/json']
  const responses = operation.responses ?? {}
  const sample = sampleRequest(method, baseUrl + path, operation, parameters)
  return html`<section data-item="${path} ${operation.operationId}" id="${operation.operationId}">
<h3>${operation.summary}</h3>
<p class="path"><code><span class="verb">${verb}</span> ${path}</code> ${accessOf(operation)}</p>
${prose(operation.description)}
${samplesView(samplesOf(sample))}${parametersList(parameters, components)}
${body?.schema && html`<h4>Body</h4>${bodyView(body.schema, components)}`}
<h4>Responses</h4>
${responsesList(responses, components)}
${exampleOf(responses, components)}
</section>
`
}

/** Who may call an endpoint. */
function accessOf({ security = [] }: Operation): Html {
  const scopes = security.flatMap((scheme) => Object.values(scheme).flat())
  if (scopes.length === 0) {
    return html`<span class="dim">${security.length === 0 ? 'no key needed' : 'any key'}</span>`
  }
  return html`${scopes.map((scope, i) => html`<span class="dim">${i === 0 ? 'needs' : 'or'} <code>${scope}</code></span> `)}`
}

/** A sample in each language, of which the page shows the chosen one. */
export function samplesView(samples: Samples): Html {
  return html`${Object.entries(samples).map(
    ([id, code]) =>
      html`<pre class="sample in-${id}" tabindex="0" role="group" aria-label="${SAMPLE_LANGUAGES[id as keyof Samples]}"><code>${code}</code></pre>\n`,
  )}`
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

function responsesList(
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
