import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eventually } from '../harness/eventually.ts'
import { type Slugline, startSlugline } from '../harness/process.ts'

interface Span {
  traceId: string
  parentSpanId?: string
  name: string
  kind: number
  attributes: { key: string; value: Record<string, unknown> }[]
  status: { code: number }
}
interface Sent {
  resourceSpans: {
    resource: { attributes: Span['attributes'] }
    scopeSpans: { spans: Span[] }[]
  }[]
}

const TRACE = '0af7651916cd43dd8448eb211c80319c'
const PARENT = 'b7ad6b7169203331'
const traceparent = `00-${TRACE}-${PARENT}-01`

const bodies: string[] = []
const tokens = new Set<string | null>()
let collector: Bun.Server<undefined>
let slugline: Slugline

beforeAll(async () => {
  collector = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      if (new URL(request.url).pathname !== '/v1/traces') return new Response(null, { status: 404 })
      tokens.add(request.headers.get('x-token'))
      bodies.push(await request.text())
      return Response.json({})
    },
  })
  slugline = await startSlugline({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${collector.port}/`,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-token=of%20ours',
    OTEL_SERVICE_NAME: 'links',
  })
})
afterAll(async () => {
  await slugline.dispose()
  await collector.stop(true)
})

const sent = () => bodies.map((body) => JSON.parse(body) as Sent)
const spans = () =>
  sent().flatMap(({ resourceSpans }) =>
    resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)),
  )
const attributesOf = ({ attributes }: { attributes: Span['attributes'] }) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

test('requests have spans in the trace of their caller, without what they are about', async () => {
  const { key } = await slugline.createKey()
  const link = { destination_url: 'https://example.com/secret-page', slug: 'secret-slug' }
  const headers = { traceparent }
  const made = await slugline.call('POST', '/api/v1/links', { key, body: link, headers })
  await slugline.call('GET', '/secret-slug?secret-query=1', { headers })
  await slugline.call('GET', '/api/v1/links/lnk_none?lang=de', { key })
  const wanted = ['POST /api/v1/links', 'GET /{slug}', 'GET /api/v1/links/{id}']
  const found = await eventually('the spans have arrived', () => {
    const all = wanted.map((name) => spans().find((span) => span.name === name))
    return all.every((span) => span !== undefined) ? (all as Span[]) : undefined
  })
  const [creation, visit, missing] = found as [Span, Span, Span]
  for (const { traceId, parentSpanId, kind } of [creation, visit]) {
    // 2: a server's (https://opentelemetry.io/docs/specs/otel/trace/api/#spankind).
    expect([traceId, parentSpanId, kind]).toEqual([TRACE, PARENT, 2])
  }
  expect(attributesOf(creation)).toEqual({
    'http.request.method': 'POST',
    'http.route': '/api/v1/links',
    'http.response.status_code': 201,
    'slugline.request_id': made.headers.get('x-request-id'),
  })
  expect(attributesOf(visit)).toEqual({
    'http.request.method': 'GET',
    'http.route': '/{slug}',
    'http.response.status_code': 302,
  })
  expect(missing.traceId).not.toBe(TRACE)
  expect(attributesOf(missing)['http.response.status_code']).toBe(404)
  const [resource] = sent()[0]?.resourceSpans ?? []
  expect(resource && attributesOf(resource.resource)).toMatchObject({ 'service.name': 'links' })
  expect(tokens).toEqual(new Set(['of ours']))
  for (const text of ['secret', '127.0.0.1', key]) expect(bodies.join()).not.toContain(text)
})

test('a collector that is away costs no request, and spans are sent at the end', async () => {
  const own = await startSlugline({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' })
  for (let i = 0; i < 20; i++) expect((await own.call('GET', '/nothing')).status).toBe(404)
  expect((await own.call('GET', '/readyz')).status).toBe(200)
  await own.dispose()
  const before = bodies.length
  expect((await slugline.call('GET', '/last', {})).status).toBe(404)
  await slugline.stop()
  expect(bodies.length).toBeGreaterThan(before)
})
