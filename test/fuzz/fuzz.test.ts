import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DIMENSIONS } from '../../src/statistics/types.ts'
import { type Conformance, loadConformance, type Operation } from '../harness/conformance.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'
import { testStore } from '../harness/store.ts'
import {
  hostileBodies,
  hostileHeaders,
  hostileQueries,
  hostileStatisticsQueries,
} from './hostile.ts'

/**
 * The total number of requests, generated and listed; the generated ones differ from run to run. Fewer on other
 * stores, which differ less. `FUZZ_REQUESTS=100000` sends more.
 */
const REQUESTS = Number(Bun.env.FUZZ_REQUESTS ?? (testStore === 'embedded' ? 10_000 : 2_500))
const GENERATED = REQUESTS - 1_500
/** For each operation. */
const PER_OPERATION = testStore === 'embedded' ? 30 : 8
/** With more reports than connections for them some would be refused temporarily. */
const CONCURRENT = testStore === 'embedded' ? 32 : 8

/** There are many requests, and other tests may use most of the machine. */
const PATIENCE_MS = 600_000

let slugline: Slugline
let conformance: Conformance
let key: string
let linkId: string
let sent = 0
let unsent = 0

beforeAll(async () => {
  slugline = await startSlugline({ LOG_LEVEL: 'error' })
  key = (await slugline.createKey()).key
  conformance = await loadConformance(slugline.url)
  const created = await slugline.call('POST', '/api/v1/links', {
    key,
    body: { destination_url: 'https://example.com/', slug: 'target' },
  })
  linkId = ((await created.json()) as { id: string }).id
})
afterAll(() => slugline.dispose())

interface Attempt {
  method: string
  /** The path in the OpenAPI document; `/links/{id}` is filled with `id`. */
  template: string
  id?: string
  dimension?: string
  query?: string
  headers?: Record<string, string>
  body?: string | Uint8Array
}

/**
 * Null, or what is wrong with the response. Temporary refusals are retried for a while: a machine
 * too busy for reports isn't what is tested.
 */
async function fault(attempt: Attempt, patience = 20): Promise<string | null> {
  const path = attempt.template
    .replace('{dimension}', attempt.dimension ?? 'country')
    .replaceAll(/\{\w+\}/g, attempt.id ?? linkId)
  let answer: Response
  try {
    answer = await fetch(`${slugline.url}${path}${attempt.query ? `?${attempt.query}` : ''}`, {
      method: attempt.method,
      redirect: 'manual',
      headers: {
        authorization: `Bearer ${key}`,
        ...(attempt.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...attempt.headers,
      },
      ...(attempt.body === undefined
        ? {}
        : { body: attempt.body as string | Uint8Array<ArrayBuffer> }),
    })
  } catch (error) {
    // The client itself refuses to send some of these; a broken connection is a fault.
    if (!(error instanceof TypeError)) return String(error)
    unsent++
    return null
  }
  const after = Number(answer.headers.get('retry-after'))
  if (answer.status === 503 && after > 0 && patience > 0) {
    await answer.body?.cancel()
    await Bun.sleep(Math.min(after, 5) * 1000)
    return fault(attempt, patience - 1)
  }
  sent++
  const text = await bodyOf(answer)
  const where = `${attempt.method} ${path}?${attempt.query ?? ''} ${JSON.stringify(attempt.headers ?? {})} ${String(attempt.body).slice(0, 200)}`
  if (answer.status >= 500) return `${answer.status} for ${where}: ${text.slice(0, 300)}`
  if (!answer.headers.get('x-request-id')) return `no request id (${answer.status}) for ${where}`
  if (answer.headers.get('content-type')?.startsWith('application/problem+json')) return null
  const violation = conformance.violation(attempt.method, attempt.template, answer, text)
  return violation === null ? null : `${violation} for ${where}`
}

/** A live stream never ends: its first chunk is enough. */
async function bodyOf(answer: Response): Promise<string> {
  if (answer.headers.get('content-type') !== 'text/event-stream') return answer.text()
  const reader = answer.body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(first?.value)
}

const LINKS = '/api/v1/links'
const LINK = '/api/v1/links/{id}'
const STATISTICS = [
  `${LINK}/stats`,
  `${LINK}/stats/{dimension}`,
  `${LINK}/clicks`,
  '/api/v1/stats',
  '/api/v1/stats/{dimension}',
  '/api/v1/clicks',
  '/api/v1/clicks/stream',
  '/api/v1/clicks.ndjson',
  `${LINK}/clicks.csv`,
  `${LINK}/clicks.parquet`,
]
const STATISTICS_PARAMETERS = [
  'from',
  'to',
  'timezone',
  'interval',
  'bots',
  'tag',
  'limit',
  'cursor',
  'last_event_id',
  ...DIMENSIONS.flatMap((dimension) => [dimension, `not_${dimension}`]),
]

test(
  'hand-made hostile requests are answered by the contract',
  async () => {
    const attempts: Attempt[] = []
    for (const body of hostileBodies()) {
      attempts.push({ method: 'POST', template: LINKS, body })
      attempts.push({ method: 'PATCH', template: LINK, body })
      attempts.push({
        method: 'PATCH',
        template: LINK,
        body,
        headers: { 'content-type': 'application/merge-patch+json' },
      })
      for (const headers of hostileHeaders().slice(0, 12)) {
        attempts.push({ method: 'POST', template: LINKS, body, headers })
      }
    }
    for (const query of hostileQueries()) attempts.push({ method: 'GET', template: LINKS, query })
    for (const query of [...hostileQueries(), ...hostileStatisticsQueries()]) {
      for (const template of STATISTICS) attempts.push({ method: 'GET', template, query })
    }
    for (const headers of hostileHeaders()) {
      for (const [method, template] of [
        ['GET', LINKS],
        ['GET', LINK],
        ['GET', '/api/v1/plans'],
        ['DELETE', LINK],
      ] as const) {
        attempts.push({ method, template, headers, id: 'lnk_00000000000000000000000000' })
      }
    }
    expect((await inParallel(attempts)).slice(0, 5)).toEqual([])
    console.log(`${attempts.length} hand-made requests`)
  },
  PATIENCE_MS,
)

test(
  `${GENERATED} requests generated from the document are answered by it`,
  async () => {
    const attempts = fc.sample(arbitraryAttempt(), GENERATED)
    expect((await inParallel(attempts)).slice(0, 5)).toEqual([])
    expect((await slugline.call('GET', '/livez')).status).toBe(200)
    console.log(`${sent} requests sent, ${unsent} refused by the client`)
    expect(sent).toBeGreaterThanOrEqual(REQUESTS)
  },
  PATIENCE_MS,
)

test(
  `every operation of the document answers ${PER_OPERATION} requests of its own by it`,
  async () => {
    const operations = Object.entries(conformance.document.paths).flatMap(([template, item]) =>
      Object.entries(item).map(([method, operation]) => ({ method, template, operation })),
    )
    expect(operations.length).toBeGreaterThan(60)
    const attempts = operations.flatMap((each) => fc.sample(arbitraryRequest(each), PER_OPERATION))
    expect((await inParallel(attempts)).slice(0, 5)).toEqual([])
  },
  PATIENCE_MS,
)

/** A request within an operation's schema, partly mutated. */
function arbitraryRequest(described: { method: string; template: string; operation: Operation }) {
  const { template, operation } = described
  const { parameters = [], requestBody } = operation
  const names = parameters.map(({ $ref, name }) =>
    $ref === undefined ? name : conformance.parameter($ref).name,
  )
  const value = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 20 }),
    fc.constantFrom(
      '',
      '1',
      '0',
      '-1',
      'true',
      'null',
      '2026-01-01',
      'a.example',
      '😀',
      '#',
      '\u0000',
    ),
  )
  const query = fc
    .dictionary(fc.constantFrom(...names, 'nothing'), value, { maxKeys: 4 })
    .map((values) => new URLSearchParams(values).toString())
  const id = fc.oneof(
    fc.constant(undefined),
    value.map((text) => encodeURIComponent(text.toWellFormed())).filter((v) => !/^\.*$/.test(v)),
  )
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { example }]) =>
    fc.record({
      body: bent(example ?? { title: 'x', enabled: true, name: 'x', tags: ['a'] }),
      headers: fc.constant({ 'content-type': type }),
    }),
  )
  const sent = bodies.length === 0 ? fc.constant({}) : fc.oneof(...bodies)
  const method = fc.constant(described.method.toUpperCase())
  const parts = { method, template: fc.constant(template), query, id }
  return fc.tuple(fc.record(parts), sent).map(([a, b]) => ({ ...a, ...b })) as fc.Arbitrary<Attempt>
}

/** An example, unchanged or with one of its values replaced. */
function bent(example: unknown): fc.Arbitrary<string> {
  const text = typeof example === 'string' ? example : JSON.stringify(example)
  if (typeof example === 'string') {
    const junk = fc.string({ unit: 'binary', maxLength: 30 })
    return fc.oneof(
      fc.constant(text),
      fc.tuple(junk, fc.nat(text.length)).map(([j, at]) => text.slice(0, at) + j + text.slice(at)),
    )
  }
  const values = [...text.matchAll(/"(?:[^"\\]|\\.)*"(?!:)|\b(?:true|false|null|\d+)\b/g)]
  return fc.oneof(
    fc.constant(text),
    fc.tuple(fc.nat(Math.max(0, values.length - 1)), fc.jsonValue()).map(([n, other]) => {
      const { 0: old = '', index = 0 } = values[n] ?? {}
      return text.slice(0, index) + JSON.stringify(other) + text.slice(index + old.length)
    }),
  )
}

async function inParallel(attempts: Attempt[]): Promise<string[]> {
  const faults: string[] = []
  let next = 0
  const run = async () => {
    for (let i = next++; i < attempts.length; i = next++) {
      const found = await fault(attempts[i] as Attempt)
      if (found !== null) faults.push(found)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, run))
  return faults
}

function arbitraryAttempt(): fc.Arbitrary<Attempt> {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 80 }),
    fc.string({ maxLength: 80 }),
    fc.constantFrom('', 'a', 'x'.repeat(300), '../..', '%2B', '\u0000', '😀', 'İ', 'ß', "'--"),
  )
  const url = fc.oneof(
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
    fc
      .tuple(fc.constantFrom('https://', 'http://', 'ftp://', '//', ''), text)
      .map((p) => p.join('')),
  )
  const time = fc.oneof(
    fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
    text,
  )
  const wrong = fc.oneof(fc.jsonValue(), fc.constant(null), fc.double(), text)
  const field = (right: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 6, arbitrary: right }, { weight: 1, arbitrary: wrong })
  const body = fc
    .record(
      {
        destination_url: field(url),
        slug: field(text),
        aliases: field(fc.array(text, { maxLength: 22 })),
        domain: field(text),
        title: field(text),
        notes: field(text),
        tags: field(fc.array(text, { maxLength: 22 })),
        external_id: field(text),
        enabled: field(fc.boolean()),
        redirect_status: field(fc.constantFrom(301, 302, 307, 308, 303, 0)),
        forward_query: field(fc.boolean()),
        match: field(fc.constantFrom('exact', 'prefix', 'regex')),
        forward_path: field(fc.boolean()),
        starts_at: field(time),
        expires_at: field(time),
        max_clicks: field(fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.double())),
        fallback_url: field(url),
      },
      { requiredKeys: [] },
    )
    .map((value) => JSON.stringify(value))
  const damaged = fc
    .tuple(body, fc.nat(), fc.string({ unit: 'binary', maxLength: 2 }))
    .map(([json, at, junk]) => {
      const cut = at % (json.length + 1)
      return json.slice(0, cut) + junk + json.slice(cut + 1)
    })
  const bytes = fc.uint8Array({ maxLength: 60 })
  const query = fc
    .dictionary(
      fc.constantFrom(
        'search',
        'q',
        'tag',
        'domain',
        'status',
        'created_after',
        'created_before',
        'sort',
        'order',
        'limit',
        'per_page',
        'cursor',
        'page',
        'lang',
      ),
      fc.oneof(
        text,
        time,
        fc.constantFrom('asc', 'desc', 'clicks', 'slug', 'active', '1', '100', 'last_clicked_at'),
      ),
      { maxKeys: 5 },
    )
    .map((values) => new URLSearchParams(values).toString())
  const id = fc.oneof(
    fc.constant(undefined),
    fc.constant('lnk_00000000000000000000000000'),
    text
      .map((value) => encodeURIComponent(value.toWellFormed()) || 'x')
      .filter((v) => !/^\.+$/.test(v)),
  )
  const headers = fc.oneof(
    { weight: 4, arbitrary: fc.constant({}) },
    { weight: 1, arbitrary: fc.constantFrom(...hostileHeaders()) },
  )
  const anyBody = fc.oneof(
    { weight: 6, arbitrary: body },
    { weight: 2, arbitrary: damaged },
    { weight: 1, arbitrary: bytes },
  )
  const made = (method: string, template: string, parts: object) =>
    fc.record({ method: fc.constant(method), template: fc.constant(template), ...parts })
  const asked = fc
    .dictionary(
      fc.constantFrom(...STATISTICS_PARAMETERS),
      fc.oneof(
        text,
        time,
        fc.constantFrom('2026-01-01', 'UTC', 'Europe/Berlin', 'hour', 'month', 'only', '1', 'DE'),
      ),
      { maxKeys: 5 },
    )
    .map((values) => new URLSearchParams(values).toString())
  const dimension = fc.oneof(fc.constantFrom('country', 'hour', 'link', 'domain'), id)
  return fc.oneof(
    ...STATISTICS.map((template) => ({
      weight: 1,
      arbitrary: made('GET', template, { id, dimension, query: asked, headers }),
    })),
    { weight: 5, arbitrary: made('POST', LINKS, { body: anyBody, headers }) },
    { weight: 4, arbitrary: made('PATCH', LINK, { body: anyBody, headers, id }) },
    { weight: 4, arbitrary: made('GET', LINKS, { query, headers }) },
    { weight: 1, arbitrary: made('GET', LINK, { id, headers, query }) },
    { weight: 1, arbitrary: made('DELETE', LINK, { id: id.map((v) => v ?? 'gone'), headers }) },
    { weight: 1, arbitrary: made('GET', '/api/v1/plans', { query, headers }) },
  ) as fc.Arbitrary<Attempt>
}
