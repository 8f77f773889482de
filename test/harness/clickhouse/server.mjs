// ClickHouse for tests: its own engine (chdb), behind as much of the HTTP interface as
// @clickhouse/client uses. `bun server.mjs DIRECTORY [PORT]`; says `listening PORT` once it does.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import chdb from 'chdb'

const [, , directory, port = '0'] = process.argv
const uploads = join(directory, 'uploads')
mkdirSync(uploads, { recursive: true })
const session = new chdb.Session(join(directory, 'data'))

/** Parameters of the interface itself; all others are settings of the query. */
const OWN = new Set([
  'query',
  'query_id',
  'database',
  'session_id',
  'default_format',
  'user',
  'password',
  'role',
  'wait_end_of_query',
  'enable_http_compression',
  'send_progress_in_http_headers',
  'http_headers_progress_interval_ms',
])
let uploaded = 0
let known = 'default'

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(port),
  idleTimeout: 0,
  maxRequestBodySize: 4 * 1024 ** 3,
  async fetch(request) {
    const url = new URL(request.url)
    if (url.pathname === '/ping') return new Response('Ok.\n')
    const id = url.searchParams.get('query_id') ?? crypto.randomUUID()
    const headers = { 'X-ClickHouse-Query-Id': id }
    try {
      const { bytes, summary } = await answer(url.searchParams, await bodyOf(request))
      headers['X-ClickHouse-Summary'] = JSON.stringify(summary)
      if (!/\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')) {
        return new Response(bytes, { headers })
      }
      return new Response(gzipSync(bytes), { headers: { ...headers, 'Content-Encoding': 'gzip' } })
    } catch (error) {
      const text = String(error.message)
      const code = /Code: (\d+)/.exec(text)?.[1]
      if (code !== undefined) headers['X-ClickHouse-Exception-Code'] = code
      return new Response(`${text} (version 26.7)\n`, {
        status: code === '60' ? 404 : 500,
        headers,
      })
    }
  },
})
console.log(`listening ${server.port}`)

process.on('SIGTERM', () => {
  session.close()
  process.exit(0)
})
// Whoever started us is gone.
process.stdin.on('end', () => process.kill(process.pid, 'SIGTERM')).resume()

async function bodyOf(request) {
  const bytes = Buffer.from(await request.arrayBuffer())
  return request.headers.get('content-encoding') === 'gzip' ? gunzipSync(bytes) : bytes
}

/** The query is the parameter, and the body its data; or it is the body. */
async function answer(parameters, body) {
  const asked = parameters.get('query')
  const query = asked ?? body.toString()
  const settings = []
  const values = {}
  for (const [name, value] of parameters) {
    if (name.startsWith('param_')) values[name.slice(6)] = unescaped(value)
    else if (!OWN.has(name)) settings.push(`${name} = '${value.replaceAll("'", "''")}'`)
  }
  // A server that was just started has no databases; a session's own would stay chosen.
  const database = parameters.get('database') ?? 'default'
  if (database !== known) await run(`USE ${database}`)
  known = database
  const insert = asked !== null && /^\s*INSERT\b/i.test(query)
  if (insert && body.length > 0) return await upload(query, settings, body, values)
  const result = await run(withSettings(query, settings), values, parameters.get('default_format'))
  return {
    bytes: result.bytes(),
    summary: { read_rows: String(result.rowsRead), written_rows: '0' },
  }
}

/** Data in any format, byte for byte: by a file. */
async function upload(query, settings, body, values) {
  const [, into, more, format] =
    /^([\s\S]*?)(\s+SETTINGS\s+[\s\S]*?)?\s+FORMAT\s+(\w+)\s*$/i.exec(query) ?? []
  if (format === undefined) throw new Error('Code: 62. DB::Exception: no FORMAT. (SYNTAX_ERROR)')
  const file = join(uploads, String(uploaded++))
  writeFileSync(file, body)
  const all = [...settings, ...(more ? [more.replace(/^\s*SETTINGS\s+/i, '')] : [])]
  const clause = all.length > 0 ? ` SETTINGS ${all.join(', ')}` : ''
  try {
    const result = await run(`${into} FROM INFILE '${file}'${clause} FORMAT ${format}`, values)
    return { bytes: result.bytes(), summary: { written_rows: String(result.rowsRead) } }
  } finally {
    rmSync(file)
  }
}

function withSettings(query, settings) {
  if (settings.length === 0 || !/^\s*(SELECT|WITH|INSERT|DELETE|ALTER)\b/i.test(query)) return query
  const [, head, format] = /^([\s\S]*?)(\s+FORMAT\s+\w+\s*;?\s*)?$/i.exec(query)
  const joiner = /\bSETTINGS\b/i.test(head) ? ',' : ' SETTINGS'
  return `${head}${joiner} ${settings.join(', ')}${format ?? ''}`
}

const ESCAPES = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', 0: '\0' }

/** A parameter comes as a field of tab-separated values; the engine's binding escapes it itself. */
function unescaped(value) {
  if (value.startsWith("['")) throw new Error('Lists of texts are not among the parameters here')
  return value.replace(/\\(.)/gs, (_, character) => ESCAPES[character] ?? character)
}

function run(query, values = {}, format = null) {
  const options = { format: format ?? 'TabSeparated' }
  if (Object.keys(values).length === 0) return session.queryAsync(query, options)
  return session.queryBindAsync(query, values, options)
}
