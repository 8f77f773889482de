import type { Content, Operation, Parameter } from '../../http/openapi-share.ts'

/** The languages of samples: their ids on the page, and their names. */
export const SAMPLE_LANGUAGES = {
  curl: 'curl',
  typescript: 'TypeScript',
  python: 'Python',
} as const

/** A sample request in each language. */
export type Samples = Record<keyof typeof SAMPLE_LANGUAGES, string>

/** A request to write samples of. */
export interface SampleRequest {
  method: string
  url: string
  headers: Record<string, string>
  /** A value that is sent as JSON, or the name of a file. */
  body?: { json: unknown } | { file: string } | undefined
  /** What the response is: JSON, a stream of text, a file of this name, or nothing. */
  response: 'json' | 'stream' | 'nothing' | { file: string }
}

/** The key comes from the environment, so that it isn't in a file or in the history of a shell. */
const KEY_VARIABLE = 'SLUGLINE_API_KEY'
const AUTHORIZATION = 'Authorization'

/** The same request for curl, TypeScript (fetch) and Python (the standard library). */
export function samplesOf(request: SampleRequest): Samples {
  return { curl: curl(request), typescript: typescript(request), python: python(request) }
}

/** The sample request of an endpoint, with an id to fill in and all that is required. */
export function sampleRequest(
  method: string,
  url: string,
  operation: Operation,
  parameters: readonly Parameter[],
): SampleRequest {
  const { security = [], requestBody, responses = {} } = operation
  const headers: Record<string, string> = {}
  if (security.length > 0) headers[AUTHORIZATION] = `Bearer $${KEY_VARIABLE}`
  const body = bodyOf(requestBody?.content)
  if (body !== undefined) headers['Content-Type'] = body.type
  const query = parameters.filter((each) => each.in === 'query' && each.required)
  const search = query.map(({ name, schema }) => `${name}=${encodeURIComponent(exampleOf(schema))}`)
  return {
    method: method.toUpperCase(),
    url: filledIn(url, parameters) + (search.length > 0 ? `?${search.join('&')}` : ''),
    headers,
    body: body?.sent,
    response: responseOf(responses, url),
  }
}

const exampleOf = (schema: Parameter['schema']) => String(schema?.example ?? '')

/** The path with examples of its parameters; an id is named after what it is of. */
function filledIn(url: string, parameters: readonly Parameter[]): string {
  return url.replaceAll(/([\w-]+)\/\{(\w+)\}/g, (_, kind: string, name: string) => {
    const id = `${kind.replace(/s$/, '').replaceAll('-', '_').toUpperCase()}_ID`
    const parameter = parameters.find((each) => each.name === name)
    return `${kind}/${name === 'id' ? id : exampleOf(parameter?.schema)}`
  })
}

function bodyOf(content: Readonly<Record<string, Content>> = {}) {
  if ('text/csv' in content) return { type: 'text/csv', sent: { file: 'links.csv' } }
  const json = content['application/json']
  if (json?.example === undefined) return undefined
  return { type: 'application/json', sent: { json: json.example } }
}

function responseOf(
  responses: NonNullable<Operation['responses']>,
  url: string,
): SampleRequest['response'] {
  const success = Object.keys(responses).find((status) => status.startsWith('2')) ?? ''
  const [type] = Object.keys(responses[success]?.content ?? {})
  if (type === undefined) return 'nothing'
  if (type === 'text/event-stream') return 'stream'
  if (type.startsWith('application/json')) return 'json'
  return { file: url.slice(url.lastIndexOf('/') + 1) }
}

function curl({ method, url, headers, body, response }: SampleRequest): string {
  const take = response === 'stream' ? '-N ' : response instanceof Object ? '-O ' : ''
  const lines = [`curl ${method === 'GET' ? take : `-X ${method} `}'${url}'`]
  for (const [name, value] of Object.entries(headers)) lines.push(`-H "${name}: ${value}"`)
  if (body !== undefined && 'file' in body) lines.push(`--data-binary @${body.file}`)
  else if (body !== undefined) {
    const json = JSON.stringify(body.json, null, 2).replaceAll('\n', '\n  ')
    lines.push(`-d '${json.replaceAll("'", String.raw`'\''`)}'`)
  }
  return lines.join(' \\\n  ')
}

function typescript({ method, url, headers, body, response }: SampleRequest): string {
  const imports: string[] = []
  const options: string[] = []
  if (method !== 'GET') options.push(`method: '${method}',`)
  const named = Object.entries(headers).map(([name, value]) => {
    const text = value.replace(`$${KEY_VARIABLE}`, `\${process.env.${KEY_VARIABLE}}`)
    return `${/^\w+$/.test(name) ? name : `'${name}'`}: ${text === value ? `'${value}'` : `\`${text}\``},`
  })
  if (named.length > 0) options.push('headers: {', ...named.map((line) => `  ${line}`), '},')
  if (body !== undefined && 'file' in body) {
    imports.push('readFile')
    options.push(`body: await readFile('${body.file}'),`)
  } else if (body !== undefined) {
    options.push(...`body: JSON.stringify(${JSON.stringify(body.json, null, 2)}),`.split('\n'))
  }
  const last = options.length > 0 ? `, {\n${options.map((line) => `  ${line}\n`).join('')}}` : ''
  if (response instanceof Object) imports.push('writeFile')
  return [
    ...(imports.length > 0 ? [`import { ${imports.join(', ')} } from 'node:fs/promises'`, ''] : []),
    `const response = await fetch('${url}'${last})`,
    'if (!response.ok) throw new Error(await response.text())',
    ...typescriptResponse(response),
  ].join('\n')
}

function typescriptResponse(response: SampleRequest['response']): string[] {
  if (response === 'nothing') return []
  if (response === 'json') return ['console.log(await response.json())']
  if (response === 'stream') {
    return [
      'const decoder = new TextDecoder()',
      'for await (const bytes of response.body!) {',
      '  process.stdout.write(decoder.decode(bytes, { stream: true }))',
      '}',
    ]
  }
  return [`await writeFile('${response.file}', Buffer.from(await response.arrayBuffer()))`]
}

function python({ method, url, headers, body, response }: SampleRequest): string {
  const hasJson = response === 'json' || (body !== undefined && 'json' in body)
  const hasKey = AUTHORIZATION in headers
  const imports = [...(hasJson ? ['json'] : []), ...(hasKey ? ['os'] : []), 'urllib.request']
  const options = method === 'GET' ? [] : [`method="${method}",`]
  const named = Object.entries(headers).map(([name, value]) => {
    const text = value.replace(`$${KEY_VARIABLE}`, `{os.environ['${KEY_VARIABLE}']}`)
    return `"${name}": ${text === value ? '' : 'f'}"${text}",`
  })
  if (named.length > 0) options.push('headers={', ...named.map((line) => `    ${line}`), '},')
  if (body !== undefined && 'file' in body) options.push(`data=open("${body.file}", "rb").read(),`)
  else if (body !== undefined) {
    options.push(...`data=json.dumps(${pythonValue(body.json)}).encode(),`.split('\n'))
  }
  const lines = [`"${url}",`, ...options].map((line) => `    ${line}\n`).join('')
  return [
    ...imports.map((name) => `import ${name}`),
    '',
    `request = urllib.request.Request(\n${lines})`,
    'with urllib.request.urlopen(request) as response:',
    ...pythonResponse(response),
  ].join('\n')
}

function pythonResponse(response: SampleRequest['response']): string[] {
  if (response === 'nothing') return ['    print(response.status)']
  if (response === 'json') return ['    print(json.load(response))']
  if (response === 'stream') {
    return ['    for line in response:', '        print(line.decode(), end="")']
  }
  return [`    with open("${response.file}", "wb") as file:`, '        file.write(response.read())']
}

/** JSON as Python writes it; its strings are the same. */
function pythonValue(value: unknown): string {
  const words: Readonly<Record<string, string>> = { true: 'True', false: 'False', null: 'None' }
  return JSON.stringify(value, null, 4).replaceAll(
    /"(?:[^"\\]|\\.)*"|true|false|null/g,
    (token) => words[token] ?? token,
  )
}
