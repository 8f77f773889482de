import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Browser } from '../../src/features/accounts/testing/browser.ts'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'
import { bodyWith, createReader, type Place, type Schema, WIDE } from './wide.ts'

/** No request holds the event loop for longer: redirects wait meanwhile. */
const HELD_MS_MAX = 250
/** One measurement may have met a pause of the garbage collector: the best of these counts. */
const TRIES = 4
/** What a refusal may weigh, whatever was sent. */
const REFUSAL_BYTES_MAX = 64 * 1024
const SIZES = [4 * 1024 * 1024, 1_397_000, 64 * 1024]
const PATIENCE_MS = 1_800_000
/** Attempts at passwords are limited for minutes: then the refusal is measured. */
const REFUSALS_MAX = 3
const WAIT_MS_MAX = 1_000
/** After so many looks a job is cancelled. */
const POLLS_MAX = 20
const ROOT = resolve(import.meta.dir, '../..')
const PROBE = join(import.meta.dir, 'loop-probe.ts')
/** For working on one operation. */
const ONLY = new RegExp(Bun.env.LOOP_ONLY ?? '')

let slugline: Slugline
let probe: string
let key: string
let linkId: string
let person: Browser
let browserHeaders: Record<string, string>
let share: string
const slow: string[] = []
const large: string[] = []
let sent = 0

beforeAll(async () => {
  const file = join(Bun.env.TMPDIR ?? '/tmp', `slugline-loop-${process.pid}`)
  slugline = await startSlugline(
    { LOG_LEVEL: 'error', LOOP_PROBE: file, TRUSTED_PROXIES: '127.0.0.1' },
    {
      program: join(ROOT, 'bin/slugline'),
      wrapper: ['/usr/bin/env', `BUN_OPTIONS=--preload=${PROBE}`],
    },
  )
  probe = `http://127.0.0.1:${await Bun.file(file).text()}`
  const { stdout } = await slugline.cli('users', 'claim-link', '--json')
  const token = new URL((JSON.parse(stdout) as { url: string }).url).hash.slice('#token='.length)
  const app = { fetch: (request: Request) => fetch(request, { redirect: 'manual' }) }
  person = new Browser(slugline.url, app, '127.0.0.1')
  const owner = { email: 'ann@example.com', password: 'correct horse battery', name: 'Ann' }
  const { body } = await person.post('/app/api/v1/claim', { ...owner, token, workspace: 'Acme' })
  browserHeaders = {
    Origin: slugline.url,
    Cookie: [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    'Slugline-Workspace': body.workspace.id,
  }
  const scopes = 'links:read,links:write,domains:read,domains:write'
  key = (await slugline.createKey({ workspace: 'Acme', scopes })).key
  const create = async (path: string, made: object) =>
    (await (await slugline.call('POST', path, { key, body: made })).json()) as { id: string } & {
      url: string
    }
  linkId = (await create('/api/v1/links', { destination_url: 'https://example.com/' })).id
  const shared = await create('/api/v1/shares', {
    subject: { link_id: linkId },
    password: 'open sesame',
  })
  share = new URL(shared.url).pathname.split('/').at(-1) as string
})
afterAll(() => slugline.dispose())

/** The longest hold of the loop since the last call. */
async function heldMs(): Promise<number> {
  return ((await (await fetch(probe)).json()) as { heldMs: number }).heldMs
}

interface Sent {
  method: string
  path: string
  body?: string | Uint8Array
  headers?: Record<string, string>
}

/** Each request is from an address of its own, because attempts are limited per address. */
let sends = 0

async function send(request: Sent, tries = 0): Promise<Response> {
  const { method, path, body, headers } = request
  const own = path.startsWith('/app/')
    ? browserHeaders
    : { Authorization: path.startsWith('/api/') ? `Bearer ${key}` : '' }
  sends++
  const answer = await fetch(slugline.url + path, {
    method,
    redirect: 'manual',
    headers: {
      'Content-Type': 'application/json',
      'X-Forwarded-For': `10.${sends >> 16}.${(sends >> 8) & 255}.${sends & 255}`,
      ...own,
      ...headers,
    },
    ...(body !== undefined && { body: body as string }),
  })
  const isRefused = answer.status === 429 || answer.status === 503
  if (!isRefused || tries === REFUSALS_MAX) return answer
  await Bun.sleep(Math.min(WAIT_MS_MAX, 1_000 * Number(answer.headers.get('retry-after'))))
  return send(request, tries + 1)
}

/** Sends a request, and takes note if it holds the loop or is answered at length. */
async function measure(
  what: string,
  given: Sent | (() => Sent),
  after = async (_: Response) => {},
): Promise<void> {
  let held = Infinity
  let where = ''
  for (let n = 0; n < TRIES && held > HELD_MS_MAX; n++) {
    if (n > 0) await heldMs()
    const request = typeof given === 'function' ? given() : given
    const answer = await send(request)
    const length = (await answer.clone().arrayBuffer()).byteLength
    await after(answer)
    held = Math.min(held, await heldMs())
    sent++
    where = `${request.method} ${request.path} ${what}`
    if (answer.status >= 500) large.push(`${answer.status} for ${where}`)
    if (answer.status >= 400 && length > REFUSAL_BYTES_MAX) large.push(`${where}: ${length} bytes`)
  }
  if (Bun.env.LOOP_ALL || held > HELD_MS_MAX) {
    const line = `${where}: ${Math.round(held)} ms`
    if (Bun.env.LOOP_ALL) console.log(line)
    if (held > HELD_MS_MAX) slow.push(line)
  }
}

function expectNone() {
  const found = { slow: slow.splice(0), large: [...new Set(large.splice(0))] }
  expect(found).toEqual({ slow: [], large: [] })
}

interface Document {
  paths: Record<string, Record<string, { requestBody?: { content: Record<string, Media> } }>>
  components: { schemas: Record<string, Schema> }
}
interface Media {
  schema: Schema
  example?: unknown
}

interface Operation {
  method: string
  path: string
  media: Media
  document: Document
  /** The public API has it with the same body. */
  isShared?: boolean
}

/** The operations of both documents that have a body in JSON, and better-auth's. */
function operations() {
  const found: Operation[] = []
  const seen = new Set<string>()
  for (const name of ['openapi.json', 'web/openapi.json']) {
    const document = JSON.parse(readFileSync(join(ROOT, name), 'utf8')) as Document
    for (const [template, item] of Object.entries(document.paths)) {
      for (const [method, { requestBody }] of Object.entries(item)) {
        const media = requestBody?.content['application/json']
        // Files are tested below.
        if (media === undefined || 'multipart/form-data' in (requestBody?.content ?? {})) continue
        const body = `${method} ${template.replace(/^\/app/, '')} ${JSON.stringify(media.schema)}`
        const isShared = seen.has(body)
        seen.add(body)
        found.push({ method: method.toUpperCase(), path: template, media, document, isShared })
      }
    }
  }
  const [{ document }] = found as [Operation]
  for (const path of ['sign-in/email', 'change-password', 'passkey/verify-authentication']) {
    const properties = { email: {}, password: {}, newPassword: {}, response: {} }
    const media = { schema: { properties } }
    found.push({ method: 'POST', path: `/app/api/auth/${path}`, media, document })
  }
  return found.filter(({ method, path }) => ONLY.test(`${method} ${path}`))
}

const pathOf = (template: string) =>
  template.replaceAll('{token}', () => share).replaceAll(/\{\w+\}/g, () => linkId)

test(
  'no body in JSON holds the event loop, or is answered at length',
  async () => {
    const seen = new Set<string>()
    for (const { method, path: template, media, document, isShared } of operations()) {
      const path = pathOf(template)
      const { placesOf, filled } = createReader(document.components.schemas)
      const base = { method, path }
      let size = 0
      for (const each of SIZES) {
        size = each
        const { status } = await send({ ...base, body: `{"k":"${'a'.repeat(size - 8)}"}` })
        if (status !== 413) break
      }
      // The operations that only the dashboard has show how its API reads bodies.
      for (const [what, wide] of isShared ? [] : Object.entries(WIDE)) {
        await measure(what, { ...base, body: wide(size - 2) })
        await measure(`member: ${what}`, { ...base, body: `{"k":${wide(size - 20)}}` })
      }
      const { schema, example } = media
      for (const leaf of [1, 'a', {}, [], null]) {
        const body = JSON.stringify(filled(schema, leaf))
        if (body.length < size)
          await measure(`filled with ${JSON.stringify(leaf)}`, { ...base, body })
      }
      // The same schemas validate the same bodies elsewhere, above all in the dashboard's API.
      const name = schema.$ref ?? template
      if (seen.has(name)) continue
      seen.add(name)
      for (const place of placesOf(schema)) await measureAt(base, example, place, size)
    }
    expectNone()
    console.log(`${sent} requests`)
  },
  PATIENCE_MS,
)

/** What is sent at each place of a body. */
const PLACED =
  /^(list of (numbers|objects)|many members|deep lists|long (text|number)|text of (labels|braces|emoji|marks)|(slashes|spaces) within text)$/
/** What is sent at a place where 4 MiB are. */
const LARGE = /^(list of (numbers|texts)|many members|long text|text of marks|slashes within text)$/

async function measureAt(base: Sent, example: unknown, place: Place, size: number) {
  const isLarge = size > 1024 * 1024
  if (isLarge && place.length > 4) return
  for (const [what, wide] of Object.entries(WIDE)) {
    if (!(isLarge ? LARGE : PLACED).test(what)) continue
    const room = size - bodyWith(example, place, '').length - 2
    const body = bodyWith(example, place, wide(room))
    await measure(`${place.join('.')}: ${what}`, { ...base, body })
  }
}

const MAX = 4 * 1024 * 1024
/** What is sent in files. */
const FILED =
  /^(list of (numbers|texts|objects)|many members|long member|deep lists|long text|text of marks|(slashes|spaces) within text)$/

/** As many of these operations as fit. */
function bulkOf(operation: (n: number) => object, atomic = false): string {
  const all: string[] = []
  for (let n = 0, size = 60; n < 1_000; n++) {
    const json = JSON.stringify(operation(n))
    size += Buffer.byteLength(json) + 1
    if (size > MAX) break
    all.push(json)
  }
  return `{"atomic":${atomic},"operations":[${all.join(',')}]}`
}

const some = (count: number, item: (n: number) => unknown) =>
  Array.from({ length: count }, (_, n) => item(n))

/** A link with everything that one can have in about 4 kB, or in 64 kB. */
const fullLink = (n: number, run: string, values: number) => ({
  destination_url: `https://example.com/${'ü'.repeat(40)}/${n}`,
  slug: `${run}-${n}`,
  aliases: some(20, (i) => `${run}-${n}-alias-${i}`),
  tags: some(20, (i) => `tag ${i} ${(n * 7 + i) % 50}`),
  title: 'Ä'.repeat(100),
  notes: 'n'.repeat(200),
  external_id: `${run}/${n}`,
  rules: some(values > 20 ? 50 : 10, (i) => ({
    when: {
      country: some(Math.min(values, 60), () => 'DE'),
      not_network: some(values, (v) => `10.${i}.${v}.0/24`),
      referrer_host: [`${i}.bücher.example`],
    },
    then: { destination_url: `https://example.com/${i}` },
  })),
})

/** What can be wrong in an operation's link, many times. */
const WRONG_LINKS: Readonly<Record<string, object>> = {
  'unknown members': Object.fromEntries(Array.from({ length: 450 }, (_, n) => [`k${n}`, 1])),
  'wrong tags': { tags: new Array(1_900).fill(1) },
  'equal tags': { destination_url: 'https://example.com', tags: new Array(1_000).fill('a') },
  'wrong rules': { rules: new Array(50).fill({ when: { os: new Array(35).fill(1) } }) },
}
const WRONG_CONDITIONS = {
  os: new Array(100).fill(1),
  not_os: new Array(100).fill({}),
  browser: new Array(100).fill('a'),
  network: new Array(100).fill('x'),
  query: { a: new Array(100).fill(1) },
}

test(
  'no bulk request holds the event loop, not even the largest that is valid',
  async () => {
    for (const [prefix, headers] of [
      ['/api/v1', { 'Accept-Encoding': 'br' }],
      ['/app/api/v1', { 'Idempotency-Key': 'k' }],
    ] as [string, Record<string, string>][]) {
      const post = (
        what: string,
        body: () => string,
        after?: (answer: Response) => Promise<void>,
      ) =>
        measure(
          `${what} ${Object.keys(headers)}`,
          () => ({
            ...{ method: 'POST', path: `${prefix}/links/bulk`, body: body() },
            headers:
              'Idempotency-Key' in headers ? { 'Idempotency-Key': crypto.randomUUID() } : headers,
          }),
          after,
        )
      for (const values of [4, 50]) {
        const create = () => {
          const run = crypto.randomUUID().slice(0, 8)
          return bulkOf((n) => ({ op: 'create', link: fullLink(n, run, values) }))
        }
        await post(`creates ${values}`, create, async (answer) => {
          const { summary } = (await answer.json()) as { summary: Record<string, number> }
          expect(summary.failed).toBe(0)
          expect(summary.succeeded).toBeGreaterThan(50)
        })
      }
      for (const atomic of [false, true]) {
        for (const [what, link] of Object.entries(WRONG_LINKS)) {
          await post(what, () => bulkOf(() => ({ op: 'create', link }), atomic))
        }
        const rules = new Array(50).fill({ when: WRONG_CONDITIONS, then: {} })
        await post('one with wrong rules', () =>
          bulkOf((n) => ({ op: n === 0 ? 'create' : '', link: n === 0 ? { rules } : {} }), atomic),
        )
      }
    }
    expectNone()
  },
  PATIENCE_MS,
)

test(
  'no file holds the event loop, while it is received or imported',
  async () => {
    const ended = async (answer: Response, path: string) => {
      if (answer.status !== 202) return
      const { id } = (await answer.json()) as { id: string }
      const job = `${path.replace(/imports.*$/, 'jobs')}/${id}`
      let polls = 0
      await eventually('the job ends', async () => {
        // Millions of records would take minutes.
        if (++polls === POLLS_MAX) await send({ method: 'POST', path: `${job}/cancel` })
        const { status } = (await (await send({ method: 'GET', path: job })).json()) as {
          status: string
        }
        return status === 'queued' || status === 'running' ? undefined : true
      })
      const rows = path.replace(/\?.*$/, `/${id}/rows?limit=100`)
      await (await send({ method: 'GET', path: rows })).arrayBuffer()
    }
    const link = (over: string) => `{"destination_url":"https://example.com/",${over}}`
    const line = (bytes: number, what: string) => (WIDE[what] as (n: number) => string)(bytes - 60)
    const lines = (bytes: number, what: string, field: string) => {
      const one = link(`"${field}":${line(bytes, what)}`)
      return `${one}\n`.repeat(Math.max(1, Math.floor(MAX / one.length)))
    }
    const files: [what: string, type: string, body: string][] = []
    for (const what of Object.keys(WIDE)) {
      if (!FILED.test(what)) continue
      for (const field of ['tags', 'rules', 'slug']) {
        files.push([`${field} ${what}`, 'application/x-ndjson', lines(40_000, what, field)])
      }
      files.push([`tags ${what}, longer`, 'application/x-ndjson', lines(390_000, what, 'tags')])
      files.push([`x ${what}`, 'application/x-ndjson', lines(MAX, what, 'x')])
      files.push([`records ${what}`, 'application/json', line(MAX, what)])
      files.push([`lines ${what}`, 'application/x-ndjson', line(MAX, what)])
      files.push([
        `one record ${what}`,
        'application/json',
        `[${link(`"tags":${line(MAX, what)}`)}]`,
      ])
    }
    files.push(['many columns', 'text/csv', `destination_url,${'a,'.repeat(MAX / 2 - 20)}\n1\n`])
    const named = some(400_000, (i) => `c${i}`).join(',')
    files.push(['many names', 'text/csv', `destination_url,${named}\nhttps://example.com/,1\n`])
    files.push([
      'wide rows',
      'text/csv',
      `destination_url,slug\n${`${','.repeat(40_000)}\n`.repeat(100)}`,
    ])
    files.push(['short rows', 'text/csv', `destination_url,slug\n${'a\n'.repeat(100_000)}`])
    files.push([
      'a long cell',
      'text/csv',
      `destination_url,tags\nhttps://example.com/,"${'a,'.repeat(MAX / 2 - 40)}"\n`,
    ])
    files.push([
      'long cells',
      'text/csv',
      `destination_url,tags\n${`https://example.com/,"${'a,'.repeat(20_000)}"\n`.repeat(100)}`,
    ])
    files.push([
      'an open quote',
      'text/csv',
      `destination_url,tags\n"${'a\n'.repeat(MAX / 2 - 40)}`,
    ])
    files.push(['quotes', 'text/csv', `destination_url,tags\n${'"'.repeat(MAX - 40)}`])
    files.push([
      'marks',
      'text/csv',
      `destination_url,slug\n${`https://example.com/,${'\u0301\u0316'.repeat(10_000)}\n`.repeat(100)}`,
    ])
    const exported = 'destination_url,slug,redirect_status,tags'
    files.push([
      'an export',
      'text/csv',
      `${exported}\n${`https://example.com/,,302,"[${'1,'.repeat(20_000)}1]"\n`.repeat(100)}`,
    ])
    for (const prefix of ['/api/v1', '/app/api/v1']) {
      // The dashboard's API has the same code.
      for (const [what, type, body] of prefix === '/api/v1' ? files : files.slice(0, 1)) {
        if (!ONLY.test(`imports ${what}`)) continue
        const base = { method: 'POST', headers: { 'Content-Type': type }, body }
        await measure(`${what} ${type}`, { ...base, path: `${prefix}/imports/preview` })
        const path = `${prefix}/imports?format=csv`
        await measure(`${what} ${type}`, { ...base, path }, (answer) => ended(answer, path))
      }
    }
    expectNone()
  },
  PATIENCE_MS,
)

test(
  'no head of a request holds the event loop',
  async () => {
    const long = 14_000
    const fill = (part: string) => part.repeat(Math.floor(long / part.length))
    const headers: Record<string, string[]> = {
      'Accept-Language': ['de,', 'xx-yy-zz,', 'zh-Hant-TW;q=0.1,', 'a-', 'x', '*,', 'de;q=1;'],
      Accept: ['a/b,', 'application/problem+json;q=0.1,', '*', ';'],
      'Accept-Encoding': ['gzip,', 'br;q=0.1,', ',', '*'],
      'If-Match': ['"1",', 'W/"1",', '"', 'W/'],
      'If-None-Match': ['"1",', 'W/"1",', '"', 'W/'],
      'Idempotency-Key': ['a', '"', '\\"'],
      Cookie: ['a=b; ', '=', ';', 'a'],
      'X-Request-Id': ['a'],
      'X-Forwarded-For': ['1.2.3.4,', ':', ','],
      Authorization: ['Bearer ', 'a'],
      'User-Agent': ['Mozilla/5.0 (', 'Chrome/', 'a ', '(', 'bot'],
      Referer: ['https://a/', 'a'],
      'Content-Type': ['application/json;', '; charset=', ' '],
      Range: ['bytes=0-1,'],
    }
    const paths = ['/api/v1/links', '/api/v1/stats', `/api/v1/links/${linkId}`, '/app/api/v1/links']
    for (const path of [...paths, '/no-such-link', `/shared/${share}/about`]) {
      for (const [name, parts] of Object.entries(headers)) {
        for (const part of parts) {
          const own = { [name]: fill(part) }
          await measure(`${name}: ${part}`, { method: 'GET', path, headers: own })
          await measure(`${name}: ${part}`, { method: 'POST', path, headers: own, body: '{"x":1}' })
        }
      }
      for (const part of [
        'a&',
        'a=1&',
        'tag=a&',
        'country=DE&',
        'not_country=DE&',
        'cursor=',
        'search=%CC%81%CC%96',
        '%',
        'a[]=&',
        'lang=',
        'id=a&',
        'slug=%CC%81%CC%96',
        'domain=%C3%BC',
      ]) {
        const query = fill(part)
        await measure(`?${part}`, { method: 'GET', path: `${path}?${query}` })
        await measure(`?x${part}`, { method: 'GET', path: `${path}?cursor=${query}` })
      }
      const names = some(2_000, (n) => `k${n}=1`)
        .join('&')
        .slice(0, long)
      await measure('many parameters', { method: 'GET', path: `${path}?${names}` })
      await measure('long parameter', { method: 'GET', path: `${path}?${fill('k')}=1` })
    }
    expectNone()
  },
  PATIENCE_MS,
)
