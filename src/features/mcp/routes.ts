import { isIP } from 'node:net'
import { z } from '@hono/zod-openapi'
import type { McpHttpHandler } from '@modelcontextprotocol/server'
import type { Caller } from '../../http/callers.ts'
import { type Api, endpoint } from '../../http/index.ts'
import type { Call as EndpointCall } from '../../http/types.ts'
import { AppError } from '../../lib/errors/index.ts'
import { SCOPES } from '../../model/keys/scopes.ts'
import { type Call, failureOf, pairsOf } from './call.ts'

const PATH = '/mcp'

/** The metadata of the protected resource `/mcp` (RFC 9728 §3.1), and where older clients look. */
const METADATA_PATH = `/.well-known/oauth-protected-resource${PATH}`
const METADATA_PATHS = [METADATA_PATH, '/.well-known/oauth-protected-resource']

/** A message; its parts are checked by the protocol's own library. */
const MessageSchema = z.looseObject({})

type Received = EndpointCall<Caller, undefined, undefined, z.output<typeof MessageSchema>>

/** Loaded with the first request, because it is large; it serves all of them. */
let loading: Promise<McpHttpHandler> | undefined

/**
 * `POST /mcp`: the Model Context Protocol for programs with an API key. Its tools send their requests
 * to `api`, with the caller's key, so that all rules of the API hold for them.
 */
export function registerMcpRoute(
  api: Pick<Api, 'add' | 'addPage' | 'fetch'>,
  { baseUrl }: { baseUrl: string },
): void {
  endpoint(api, {
    method: 'post',
    path: PATH,
    scope: 'any',
    resourceMetadata: METADATA_PATH,
    // An `Idempotency-Key` is for the request that a tool sends.
    secret: true,
    operationId: 'postMcp',
    tag: 'MCP',
    summary: 'Send a Model Context Protocol message',
    body: MessageSchema,
    success: { status: 200, description: 'The response message.' },
    async handler(received) {
      assertOwnSite(received.request, baseUrl)
      loading ??= import('./server.ts').then(({ createHandler }) => createHandler())
      const handler = await loading
      const { caller, request, body } = received
      const response = await handler.fetch(request, {
        parsedBody: body,
        authInfo: {
          token: '',
          clientId: caller.kind,
          scopes: [...caller.scopes],
          extra: { call: callOf(api, received) },
        },
      })
      const type = response.headers.get('content-type')
      const text = (await response.text()) || null
      const headers = type === null ? {} : { 'Content-Type': type }
      return { status: response.status, rendered: { status: response.status, text, headers } }
    },
  })

  const metadata = JSON.stringify({
    resource: baseUrl + PATH,
    resource_name: 'Slugline',
    resource_documentation: `${baseUrl}/docs`,
    bearer_methods_supported: ['header'],
    scopes_supported: SCOPES,
  })
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'public, max-age=3600' }
  const page = () => ({ status: 200, text: metadata, headers })
  for (const path of METADATA_PATHS) api.addPage(path, page)
}

/**
 * Refuses pages of other sites, and hosts that aren't ours: a page whose host resolves to this
 * machine could otherwise read answers (DNS rebinding). That isn't possible with an address.
 * @throws AppError CROSS_SITE_REQUEST
 */
function assertOwnSite({ url, headers }: Request, baseUrl: string): void {
  const origin = headers.get('origin')
  const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, '') ?? ''
  const isOurs = host === 'localhost' || isIP(host) !== 0 || host === new URL(baseUrl).hostname
  if (!isOurs || (origin !== null && origin !== baseUrl)) throw new AppError('CROSS_SITE_REQUEST')
}

/**
 * Requests to the API in this process, from the same address and with the same key. They count
 * towards the limit instead of the message that led to them.
 */
function callOf(
  api: Pick<Api, 'fetch'>,
  { request, address, baseUrl, meter }: Pick<Received, 'request' | 'address' | 'baseUrl' | 'meter'>,
): Call {
  return async (method, path, { query, json, headers } = {}) => {
    await meter.refund()
    const all = new Headers(headers)
    for (const name of ['authorization', 'accept-language', 'user-agent']) {
      const value = request.headers.get(name)
      if (value !== null) all.set(name, value)
    }
    if (json !== undefined) all.set('content-type', 'application/json')
    const key = method === 'GET' ? null : request.headers.get('idempotency-key')
    if (key !== null && !all.has('idempotency-key')) all.set('idempotency-key', key)
    const url = `${baseUrl}/api/v1${path}?${new URLSearchParams(pairsOf(query))}`
    const body = json === undefined ? null : JSON.stringify(json)
    const { signal } = request
    const response = await api.fetch(new Request(url, { method, headers: all, body, signal }), {
      peer: address,
    })
    if (response.ok) return response
    throw await failureOf(response)
  }
}
