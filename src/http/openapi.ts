import { OpenAPIHono, z } from '@hono/zod-openapi'
import packageJson from '../../package.json' with { type: 'json' }
import {
  DETAIL_CODES,
  ERROR_CODES,
  ERRORS,
  type ErrorCode,
  PUBLIC_DETAIL_CODES,
  PUBLIC_ERROR_CODES,
} from '../lib/errors/index.ts'
import { SCOPES, sufficientFor } from '../model/keys/scopes.ts'
import { errorSchemas, HEADERS, PARAMETERS } from './openapi-components.ts'
import { letGrow } from './openapi-grow.ts'
import { nameSchemas } from './openapi-names.ts'
import { parameterKey, shareComponents } from './openapi-share.ts'
import type { AnyEndpoint } from './types.ts'

/** The description of the API, in the Markdown subset of the reference page. */
const DESCRIPTION = `Create and manage short links over HTTP.

Bodies are JSON in UTF-8, at most 64 KiB (bulk requests: 4 MiB), 32 levels deep, with up to 20,000 members in an object. The length of a list is checked before its items; repeated values count. Every response has an \`X-Request-Id\`, which also appears in the server log. Every \`GET\` endpoint supports \`HEAD\`; all support \`OPTIONS\` (CORS allows any origin).

## Authentication

Send an API key with each request: \`Authorization: Bearer <API_KEY>\`. Only a few endpoints need none: \`GET /api/v1\`, the list of plans, and shared statistics under \`/shared/\`.

Scopes: \`links:read\` (links and their statistics), \`links:write\`, \`links:create\` (create links, nothing else), \`stats:read\` (statistics and clicks, no links), \`domains:read\`, \`domains:write\`, \`keys:write\`, \`events:read\` (the feed of events), \`webhooks:read\` and \`webhooks:write\` (a webhook gets the events that its creator can see). \`links:read\` includes \`stats:read\`, and \`links:write\` includes \`links:create\`. Otherwise no scope includes another: a write scope doesn’t include read. Where several scopes are listed, any of them is enough.

## Pagination

A list has its items in \`data\` and its position in \`pagination\`: \`limit\`, \`has_more\`, \`next_cursor\`, and \`total\` where counting is cheap. Request up to \`limit\` items (25 by default, at most 100), and give \`next_cursor\` as \`cursor\` to get the next page, until it is null; leave \`cursor\` out for the first page. A cursor is valid only with the same filters and order. If objects are added or removed in the meantime, or values change that the list isn’t sorted by, no other object is repeated or skipped. The list of events takes \`after\` instead of \`cursor\`.

## Errors

Every error is \`{"error":{"code","message","request_id"}}\`. The code is stable; the message is for people. VALIDATION_FAILED adds \`details\` with every field that fails: up to 100 entries, and then one with the code TOO_MANY_DETAILS that says how many more there are. Names of fields are cut after 128 characters. SLUG_TAKEN adds \`suggestions\`, and EVENTS_EXPIRED the id of the \`oldest\` event. Clients that prefer \`application/problem+json\` in \`Accept\` get RFC 9457 instead, with \`type\`, \`title\`, \`status\` and \`detail\` (the message), and \`code\`, \`request_id\`, \`details\` and \`suggestions\` as extensions; this document describes only the default form. Every error has a \`Link\` with \`rel="help"\` to the page that explains its code. Unknown parameters and fields are rejected.

## Idempotency

A \`POST\`, \`PUT\`, \`PATCH\` or \`DELETE\` with an \`Idempotency-Key\` (a UUID, for example) can be sent again at any time within 24 hours: it takes effect once, and a repeated request gets the response of the one that succeeded, with \`Idempotent-Replayed: true\`. Error responses aren’t stored: after an error, send the request again with the same key. A workspace’s responses of 4 KiB and more are stored up to 64 MiB in total; if the response wasn’t stored, a repeated request gets 409 IDEMPOTENCY_RESPONSE_OMITTED, and doesn’t take effect again. Requests whose response has a secret (creating and rotating API keys, webhooks and their secrets) ignore the header.

## Languages

Messages come in the language of \`?lang=\`, else of \`Accept-Language\`, else the workspace’s, else English. \`Content-Language\` says which.

## Rate limits

All keys of a workspace share the requests per minute of its plan. If the plan has such a limit, every response to a valid key has \`RateLimit-Policy: "api";q=60;w=60\` (\`q\` requests in \`w\` seconds), \`RateLimit: "api";r=59;t=1\` (\`r\` requests are left, and the full burst again in \`t\` seconds), and the same as \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (seconds since the Unix epoch). Beyond the limit the response is 429, with the seconds to wait in \`Retry-After\`. After that, there is room for one request: if several clients wait, send a few requests at a time, or wait longer with each attempt. Requests without a valid key are limited per IP address. 401 and 403 responses don’t count towards the limit, except 403 PLAN_LIMIT_REACHED.

## Dry runs

Writes of links, tags, folders, domains, shares, UTM templates and the logo take \`?dry_run=true\`: the request is checked completely, the response is the one that the write would get, with \`Dry-Run: true\`, and nothing is written. Imports and updates by filter take it, too: they create a job that only checks.

## Concurrent changes

A link’s \`ETag\` is its version, a full stop and a digest of everything in the response. \`If-Match\` on \`PATCH\` or \`DELETE\` compares only the version: the request succeeds if the link hasn’t been changed since, even if it was clicked. \`If-None-Match\` on \`GET\` compares the whole ETag: 304 means that clicks and status are the same, too.

## Events

The event feed has every change in a workspace once, in the order in which they were committed, for 90 days. Start with \`after=latest\`, store \`pagination.next_cursor\`, and send it as \`after\` in the next request: after an interruption, your program continues where it stopped. \`GET /api/v1/events/stream\` sends the same as server-sent events and resumes by \`Last-Event-ID\`.

## Versioning

Everything under \`/api/v1\` stays compatible: paths, parameters, fields, codes and their meaning. New endpoints, optional parameters, fields of responses, values of enums, codes and event types may be added at any time, so ignore what you don’t know. What will be removed is announced by \`Deprecation\` and \`Sunset\` headers at least 12 months before. \`docs/versioning.md\` in the source has the details.

## Compression

Responses in JSON of 1 KiB and more are compressed for clients that send \`Accept-Encoding\` with \`zstd\`, \`gzip\` or \`br\`. This document is smallest with \`br\`.

## Errors from the HTTP server

Requests that the HTTP server itself refuses never reach the API. Their responses have neither a body in JSON nor \`X-Request-Id\`: 400 (malformed request), 431 (header fields of more than 16 KiB), 505 (another version of HTTP); methods that the server doesn’t know get 400 or a closed connection.`

/** The placeholder of the instance's URL in the committed document. */
const EXAMPLE_ORIGIN = 'https://go.example.com'

/** The document with this instance's URL. */
export function atAddress(document: string, baseUrl: string): string {
  return document
    .replaceAll(EXAMPLE_ORIGIN, baseUrl)
    .replaceAll(new URL(EXAMPLE_ORIGIN).host, new URL(baseUrl).host)
}

/** The part of the document that the reference page reads. */
type OpenApiDocument = ReturnType<OpenAPIHono['getOpenAPI31Document']>

/** The audience of an API, with its texts. */
type Audience = typeof PROGRAMS | typeof DASHBOARD

const PROGRAMS = {
  title: 'Slugline API',
  description: DESCRIPTION,
  refusals: ['UNAUTHORIZED', 'INVALID_API_KEY', 'INSUFFICIENT_SCOPE'],
  schemas: errorSchemas(PUBLIC_ERROR_CODES, PUBLIC_DETAIL_CODES),
  security: {
    name: 'bearerAuth',
    scheme: {
      type: 'http',
      scheme: 'bearer',
      description: `An API key. What it may do is set by its scopes: ${SCOPES.map((scope) => `\`${scope}\``).join(', ')}.`,
    },
  },
} as const

const DASHBOARD = {
  title: 'Slugline dashboard API',
  description:
    'The API of the dashboard, for requests from its own origin only. It changes with the dashboard: programs use the public API.',
  refusals: ['SIGN_IN_REQUIRED', 'WORKSPACE_NOT_FOUND', 'FORBIDDEN'],
  schemas: errorSchemas(ERROR_CODES, DETAIL_CODES),
  security: {
    name: 'session',
    scheme: {
      type: 'apiKey',
      in: 'header',
      name: 'Slugline-Workspace',
      description:
        'The id of the workspace, for endpoints that need a permission; in addition, the cookie of a session.',
    },
  },
} as const

/** The OpenAPI 3.1 document of these endpoints, generated from the validating schemas. */
export function openApiDocument(
  endpoints: readonly AnyEndpoint[],
  forDashboard = false,
): OpenApiDocument {
  const audience = forDashboard ? DASHBOARD : PROGRAMS
  const registrar = new OpenAPIHono()
  const registry = registrar.openAPIRegistry
  const { name: securityName, scheme } = audience.security
  registry.registerComponent('securitySchemes', securityName, scheme)
  for (const [name, header] of Object.entries(HEADERS)) {
    registry.registerComponent('headers', name, header as never)
  }
  for (const [name, parameter] of Object.entries(PARAMETERS)) {
    registry.registerComponent('parameters', parameterKey(name), parameter as never)
  }
  for (const endpoint of endpoints) registry.registerPath(routeOf(endpoint, audience))
  const document = registrar.getOpenAPI31Document({
    openapi: '3.1.0',
    info: {
      title: audience.title,
      version: packageJson.version,
      description: audience.description,
      license: { name: 'Apache-2.0', url: 'https://www.apache.org/licenses/LICENSE-2.0' },
    },
    servers: [{ url: forDashboard ? '/' : EXAMPLE_ORIGIN }],
    tags: [...new Set(endpoints.map(({ tag }) => tag))].map((name) => ({ name })),
  })
  // The dashboard is built together with its server, so its types are closed.
  return forDashboard ? shareComponents(document) : nameSchemas(letGrow(shareComponents(document)))
}

function routeOf(endpoint: AnyEndpoint, audience: Audience) {
  const { method, path, scope, operationId, tag, summary, description, params, query } = endpoint
  const { deprecated } = endpoint
  const body = bodyOf(endpoint)
  const isPublic = scope === null && endpoint.person === undefined
  return {
    method,
    path,
    operationId,
    tags: [tag],
    summary,
    ...(description !== undefined && { description }),
    ...(deprecated !== undefined && {
      deprecated: true,
      description: `${description ?? ''} Deprecated; ends on ${deprecated.until}.`.trim(),
    }),
    security: isPublic
      ? []
      : (scope === null || scope === 'any' ? [[]] : sufficientFor(scope).map((one) => [one])).map(
          (scopes) => ({ [audience.security.name]: scopes }),
        ),
    parameters: parametersOf(endpoint).map((name) => ({
      $ref: `#/components/parameters/${parameterKey(name)}`,
    })),
    request: {
      // The declaring endpoint makes sure that this schema is an object.
      ...(params !== undefined && { params: params as never }),
      ...(query !== undefined && { query: query as never }),
      ...(body !== undefined && { body }),
    },
    // The components define the shapes of headers and examples.
    responses: { ...successOf(endpoint), ...failuresOf(endpoint, audience) } as never,
  }
}

function bodyOf({ method, body, bodyOptional, bodyExample, upload }: AnyEndpoint) {
  if (upload !== undefined) {
    const schema = z.string().openapi({ format: 'binary' })
    // A form is for browsers, and described in prose: generators can't choose between it and a file.
    const types = Object.entries(upload.types).filter(([type]) => type !== 'multipart/form-data')
    const content = types.map(([type, example]) => [
      type,
      { schema, ...(typeof example === 'string' && { example }) },
    ])
    return { required: true, content: Object.fromEntries(content) }
  }
  if (body === undefined) return undefined
  const content = { schema: body, example: bodyExample }
  return {
    required: bodyOptional === undefined,
    content: {
      ...(method === 'patch' && { 'application/merge-patch+json': content }),
      'application/json': content,
    },
  }
}

function parametersOf(endpoint: AnyEndpoint): (keyof typeof PARAMETERS)[] {
  const names: (keyof typeof PARAMETERS)[] = ['lang']
  if (changes(endpoint)) names.push('Idempotency-Key')
  if (endpoint.dryRun) names.push('dry_run')
  const isGuarded = endpoint.errors?.includes('PRECONDITION_FAILED') ?? false
  if (isGuarded) names.push('If-Match')
  if (isGuarded || isConditional(endpoint)) names.push('If-None-Match')
  return names
}

function changes({ method, scope, secret, safe }: AnyEndpoint): boolean {
  return method !== 'get' && scope !== null && secret === undefined && !safe
}

function isConditional(endpoint: AnyEndpoint): boolean {
  return endpoint.method === 'get' && hasEtag(endpoint)
}

/** A versioned object has its version in the entity tag. */
function hasEtag({ success, cacheControl }: AnyEndpoint): boolean {
  const { shape } = (success.schema?.def ?? {}) as { shape?: object }
  return cacheControl !== undefined || (shape !== undefined && 'version' in shape)
}

const LOCATION = { schema: { type: 'string' }, description: 'The path of the created object.' }

/** Headers besides those of every response. */
function headersOf(names: readonly string[], own: Readonly<Record<string, object>> = {}) {
  const shared = names.map((name) => [name, { $ref: `#/components/headers/${name}` }] as const)
  const headers = { ...Object.fromEntries(shared), ...own }
  return Object.keys(headers).length > 0 && { headers }
}

function successOf(endpoint: AnyEndpoint) {
  const { success } = endpoint
  const names: string[] = []
  if (changes(endpoint)) names.push('Idempotent-Replayed')
  if (endpoint.dryRun) names.push('Dry-Run')
  if (hasEtag(endpoint)) names.push('ETag')
  const own = Object.entries(success.headers ?? {})
    .filter(([name]) => !names.includes(name))
    .map(([name, description]) => [name, { schema: { type: 'string' }, description }] as const)
  const { schema, example, created } = success
  const answer = {
    ...headersOf(names, Object.fromEntries(own)),
    ...(schema !== undefined && {
      content: { [success.contentType ?? 'application/json']: { schema, example } },
    }),
  }
  return {
    [success.status]: { description: success.description, ...answer },
    ...(created !== undefined && {
      201: { description: created, ...answer, ...headersOf(names, { Location: LOCATION }) },
    }),
    ...(isConditional(endpoint) && {
      304: { description: 'Not modified.', ...headersOf(['ETag']) },
    }),
  }
}

/** All error codes of an endpoint: its own, and those that follow from its declaration. */
function errorCodesOf(endpoint: AnyEndpoint, audience: Audience = PROGRAMS): ErrorCode[] {
  const codes = new Set<ErrorCode>(endpoint.errors)
  codes.add('RATE_LIMITED').add('INTERNAL_ERROR').add('SERVICE_UNAVAILABLE')
  if (endpoint.scope !== null) {
    for (const code of audience.refusals) codes.add(code)
    if (endpoint.wholeWorkspace && audience === PROGRAMS) codes.add('KEY_RESTRICTED')
  }
  if (endpoint.person !== undefined) codes.add('SIGN_IN_REQUIRED')
  codes.add('VALIDATION_FAILED')
  if (endpoint.body !== undefined) {
    codes.add('INVALID_JSON').add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE')
  }
  if (endpoint.upload !== undefined) codes.add('PAYLOAD_TOO_LARGE').add('UNSUPPORTED_MEDIA_TYPE')
  if (changes(endpoint)) {
    codes.add('BAD_REQUEST').add('IDEMPOTENCY_IN_PROGRESS').add('IDEMPOTENCY_KEY_REUSED')
    codes.add('IDEMPOTENCY_RESPONSE_OMITTED')
  }
  return ERROR_CODES.filter((code) => codes.has(code))
}

function failuresOf(endpoint: AnyEndpoint, audience: Audience) {
  const { error } = audience.schemas
  const headers: Readonly<Record<number, string>> = {
    401: 'WWW-Authenticate',
    403: 'WWW-Authenticate',
    415: endpoint.method === 'patch' ? 'Accept-Patch' : 'Accept-Post',
    429: 'Retry-After',
    503: 'Retry-After',
  }
  const byStatus = Map.groupBy(errorCodesOf(endpoint, audience), (code) => ERRORS[code].status)
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.join(', '),
        ...headersOf([headers[status] ?? []].flat()),
        content: { 'application/json': { schema: error } },
      },
    ]),
  )
}
