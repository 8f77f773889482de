import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import openapi from '../../openapi.json'
import {
  ERRORS,
  type ErrorCode,
  PUBLIC_DETAIL_CODES,
  PUBLIC_ERROR_CODES,
} from '../../src/lib/errors/index.ts'
import { LOCALES } from '../../src/lib/i18n/index.ts'
import dashboardApi from '../../web/openapi.json'
import { writePlans } from '../harness/plans.ts'
import { type CallOptions, type Slugline, startSlugline } from '../harness/process.ts'

const LINKS = '/api/v1/links'
const KEYS = '/api/v1/keys'
const GOOD = 'https://example.com/'
/** Only raised in process: no request can make a healthy server fail. See http's own tests. */
const NOT_OVER_HTTP: readonly string[] = ['INTERNAL_ERROR', 'SERVICE_UNAVAILABLE']
/** They need a special setup: see the tests of domains, imports, tags, folders, events and webhooks. */
const ELSEWHERE: readonly string[] = [
  ...['DOMAIN_IN_USE', 'DOMAIN_NOT_FOUND', 'DOMAIN_NOT_VERIFIED', 'DOMAIN_TAKEN'],
  ...[
    'ACTOR_NOT_PERMITTED',
    'IMPORT_CONFLICT',
    'IMPORT_RUNNING',
    'IMPORT_FILE_GONE',
    'FILE_UNREADABLE',
  ],
  ...['SOURCE_ENDLESS', 'SOURCE_FAILED', 'SOURCE_RATE_LIMITED', 'SOURCE_REFUSED'],
  ...['SOURCE_TIMEOUT', 'SOURCE_TOO_LARGE', 'TOO_MANY_JOBS'],
  'IMPORTS_FULL',
  'IDEMPOTENCY_RESPONSE_OMITTED',
  ...['FOLDER_NOT_EMPTY', 'TAG_TAKEN', 'UTM_TEMPLATE_TAKEN', 'URL_NOT_ALLOWED'],
  ...['EVENTS_OTHER_FEED', 'EVENTS_EXPIRED'],
  ...['KEY_REVOKED', 'KEY_EXPIRED', 'KEY_ALREADY_ROTATED', 'ROTATION_IN_PROGRESS'],
  ...['KEY_RESTRICTED', 'RESTRICTION_NOT_GRANTABLE'],
  ...['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND', 'WEBHOOK_DISABLED'],
]
const DETAILS_ELSEWHERE: readonly string[] = [
  'OUTSIDE_RESTRICTIONS',
  ...['WEBHOOKS_LIMIT', 'TAGS_LIMIT', 'FOLDERS_LIMIT'],
  ...['DOMAINS_LIMIT', 'DOMAIN_NOT_VERIFIED', 'INVALID_HOST', 'SLUGS_COLLIDE', 'UNKNOWN_MEMBER'],
  ...[
    'EMPTY_FILE',
    'LINK_CHANGED',
    'LINK_NOT_FOUND',
    'PASSWORD_NOT_INCLUDED',
    'UNKNOWN_COLUMN',
    'DATE_IN_FUTURE',
  ],
  ...[
    'UNKNOWN_FORMAT',
    'UNREADABLE_RECORD',
    'URL_NOT_ALLOWED',
    'PRECONDITION_FAILED',
    'LOGO_TOO_LARGE',
  ],
]
/** Of the dashboard's endpoints: see their own tests. */
const OF_DASHBOARD: readonly string[] = ['API_KEYS_LIMIT', 'MEMBERS_LIMIT']

let slugline: Slugline
let key: string
let readOnly: string
let keysOnly: string
let small: string
let crowded: string
let slow: string
let linkId: string

interface Problem {
  error: {
    code: string
    message: string
    request_id: string
    details?: { field: string; code: string; message: string }[]
    suggestions?: string[]
  }
}

beforeAll(async () => {
  const file = writePlans({
    unlimited: {},
    full: { links: 0 },
    crowded: { links: 10, addresses: 0 },
    slow: { requests_per_minute: 1, burst: 1 },
  })
  slugline = await startSlugline({ SLUGLINE_PLANS: file, SLUGLINE_BLOCKED_HOSTS: 'evil.example' })
  key = (await slugline.createKey()).key
  readOnly = (await slugline.createKey({ scopes: 'links:read' })).key
  keysOnly = (await slugline.createKey({ scopes: 'keys:write' })).key
  small = (await slugline.createKey({ workspace: 'full', plan: 'full' })).key
  crowded = (await slugline.createKey({ workspace: 'crowded', plan: 'crowded' })).key
  slow = (await slugline.createKey({ workspace: 'slow', plan: 'slow' })).key
  const fields = { destination_url: GOOD, slug: 'taken', external_id: 'mine' }
  linkId = ((await (await post(fields)).json()) as { id: string }).id
  await post({ destination_url: GOOD, slug: 'past', expires_at: '2020-01-01T00:00:00Z' })
  await post({ destination_url: GOOD, slug: 'off', enabled: false })
  await post({ destination_url: GOOD, slug: 'locked', password: 'a long password' })
  await post({ destination_url: GOOD, slug: 'once', max_clicks: 1 })
  await slugline.call('GET', '/once', { headers: { 'user-agent': 'Mozilla/5.0 Firefox/140.0' } })
  await post({ destination_url: GOOD, slug: 'bad' })
  await slugline.cli('links', 'block', 'bad', '--reason', 'Spam')
})
afterAll(() => slugline.dispose())

const post = (body: unknown, options: CallOptions = {}) =>
  slugline.call('POST', LINKS, { key, body, ...options })

type Provoke = (lang: string) => Promise<Response>

const api =
  (method: string, path: string, options: () => CallOptions = () => ({ key })): Provoke =>
  (lang) =>
    slugline.call(method, `${path}${path.includes('?') ? '&' : '?'}lang=${lang}`, options())
const invalid = (body: unknown): Provoke => api('POST', LINKS, () => ({ key, body }))
const visit =
  (slug: string): Provoke =>
  (lang) =>
    slugline.call('GET', `/${slug}`, {
      headers: {
        accept: 'application/json',
        'accept-language': lang,
        'user-agent': 'Mozilla/5.0 Firefox/140.0',
      },
    })

/** Top-level codes, and how to provoke them. */
const PROVOCATIONS: Partial<Record<ErrorCode, Provoke>> = {
  INVALID_JSON: invalid('{"destination_url":'),
  BAD_REQUEST: api('GET', `${LINKS}?cursor=forged`),
  UNAUTHORIZED: api('GET', LINKS, () => ({})),
  INVALID_API_KEY: api('GET', LINKS, () => ({ key: 'slug_nonsense' })),
  INSUFFICIENT_SCOPE: api('POST', LINKS, () => ({ key: readOnly, body: {} })),
  SCOPE_NOT_GRANTABLE: api('POST', KEYS, () => ({
    key: keysOnly,
    body: { name: 'x', scopes: ['links:read'] },
  })),
  KEY_NOT_FOUND: api('GET', `${KEYS}/key_none`, () => ({ key: keysOnly })),
  PLAN_LIMIT_REACHED: api('POST', LINKS, () => ({ key: small, body: { destination_url: GOOD } })),
  LINK_PROTECTED: visit('locked'),
  LINK_NOT_FOUND: api('GET', `${LINKS}/lnk_00000000000000000000000000`),
  NOT_FOUND: api('GET', '/api/v1/nothing'),
  METHOD_NOT_ALLOWED: api('PUT', LINKS),
  SLUG_TAKEN: invalid({ destination_url: GOOD, slug: 'TAKEN' }),
  EXTERNAL_ID_TAKEN: invalid({ destination_url: GOOD, external_id: 'mine' }),
  IDEMPOTENCY_IN_PROGRESS: inProgress,
  APPEAL_REFUSED: (lang) =>
    api('POST', `${LINKS}/${linkId}/appeal`, () => ({ key, body: { text: 'x' } }))(lang),
  LINK_EXPIRED: visit('past'),
  LINK_EXHAUSTED: visit('once'),
  LINK_DISABLED: visit('off'),
  LINK_BLOCKED: visit('bad'),
  PRECONDITION_FAILED: api('PATCH', `${LINKS}/${'{id}'}`, () => ({
    key,
    body: { title: 'x' },
    headers: { 'if-match': '"no"' },
  })),
  PAYLOAD_TOO_LARGE: invalid({ destination_url: GOOD, notes: 'x'.repeat(70_000) }),
  UNSUPPORTED_MEDIA_TYPE: api('POST', LINKS, () => ({
    key,
    body: {},
    headers: { 'content-type': 'text/plain' },
  })),
  VALIDATION_FAILED: invalid({}),
  IDEMPOTENCY_KEY_REUSED: reused,
  RATE_LIMITED: limited,
  BULK_FAILED: api('POST', `${LINKS}/bulk`, () => ({
    key,
    body: { atomic: true, operations: [{ op: 'create', link: {} }] },
  })),
  COUNT_CHANGED: api('POST', `${LINKS}/bulk/by-filter`, () => ({
    key,
    body: { filter: {}, delete: true, expected: 900 },
  })),
  JOB_NOT_FOUND: api('GET', '/api/v1/jobs/job_00000000000000000000000000'),
  IMPORT_NOT_FOUND: api('GET', '/api/v1/imports/job_00000000000000000000000000'),
  TAG_NOT_FOUND: api('GET', '/api/v1/tags/tag_00000000000000000000000000'),
  FOLDER_NOT_FOUND: api('GET', '/api/v1/folders/fld_00000000000000000000000000'),
  LOGO_NOT_FOUND: api('GET', '/api/v1/logo'),
  SHARE_NOT_FOUND: api('GET', '/api/v1/shares/shr_00000000000000000000000000'),
  UTM_TEMPLATE_NOT_FOUND: api('GET', '/api/v1/utm-templates/utm_00000000000000000000000000'),
  SHARE_PROTECTED: shared({ password: 'a long password' }),
  SHARE_EXPIRED: shared({ expires_at: '2020-01-01T00:00:00Z' }),
  QR_UNREADABLE: (lang) => api('GET', `${LINKS}/${linkId}/qr.svg?dark=ffffff&light=fefefe`)(lang),
}

/** A request to a share created with these fields. */
function shared(fields: object): Provoke {
  return async (lang) => {
    const body = { subject: { workspace: true }, ...fields }
    const made = await slugline.call('POST', '/api/v1/shares', { key, body })
    const { url } = (await made.json()) as { url: string }
    return slugline.call('GET', `${new URL(url).pathname}/about?lang=${lang}`)
  }
}

/** The first request with a password takes long enough for a concurrent second one. */
async function inProgress(lang: string): Promise<Response> {
  for (;;) {
    const headers = { 'idempotency-key': crypto.randomUUID() }
    const body = { destination_url: GOOD, password: 'a long password' }
    const answers = await Promise.all(
      [0, 1, 2].map(() => slugline.call('POST', `${LINKS}?lang=${lang}`, { key, body, headers })),
    )
    const conflict = answers.find((answer) => answer.status === 409)
    if (conflict !== undefined) return conflict
  }
}

async function reused(lang: string): Promise<Response> {
  const headers = { 'idempotency-key': `reused-${lang}` }
  await post({ destination_url: GOOD }, { headers })
  return slugline.call('POST', `${LINKS}?lang=${lang}`, {
    key,
    headers,
    body: { destination_url: `${GOOD}other` },
  })
}

/** Only one request a minute is allowed. */
async function limited(lang: string): Promise<Response> {
  for (;;) {
    const answer = await slugline.call('GET', `${LINKS}?lang=${lang}`, { key: slow })
    if (answer.status !== 200) return answer
  }
}

/** The replaced slug would be the 21st alias. */
async function fullAliases(lang: string): Promise<Response> {
  const aliases = Array.from({ length: 20 }, (_, i) => `full-${lang}-${i}`)
  const created = await post({ destination_url: GOOD, slug: `full-${lang}`, aliases })
  const { id } = (await created.json()) as { id: string }
  return slugline.call('PATCH', `${LINKS}/${id}?lang=${lang}`, {
    key,
    body: { slug: `moved-${lang}` },
  })
}

/** Detail codes, and a body or request that provokes them. */
const DETAILS: Partial<Record<string, Provoke>> = {
  REQUIRED: invalid({}),
  UNKNOWN_FIELD: invalid({ destination_url: GOOD, nonsense: 1 }),
  READ_ONLY: invalid({ destination_url: GOOD, id: 'lnk_x' }),
  INVALID_TYPE: invalid({ destination_url: 5 }),
  TOO_LONG: invalid({ destination_url: GOOD, title: 'x'.repeat(256) }),
  TOO_SHORT: invalid({ destination_url: GOOD, external_id: '' }),
  TOO_MANY: invalid({ destination_url: GOOD, tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }),
  TOO_MANY_DETAILS: invalid(
    Object.fromEntries(Array.from({ length: 102 }, (_, i) => [`k${i}`, 1])),
  ),
  OUT_OF_RANGE: invalid({ destination_url: GOOD, max_clicks: 0 }),
  INVALID_VALUE: invalid({ destination_url: GOOD, redirect_status: 200 }),
  INVALID_URL: invalid({ destination_url: 'https://exa mple.com/' }),
  URL_SCHEME_NOT_ALLOWED: invalid({ destination_url: 'javascript:alert(1)' }),
  URL_HAS_CREDENTIALS: invalid({ destination_url: 'https://user:password@example.com/' }),
  URL_HAS_CONTROL_CHARACTERS: invalid({ destination_url: 'https://example.com/\na' }),
  URL_LOOPS_BACK: (lang) => invalid({ destination_url: `${slugline.url}/taken` })(lang),
  URL_BLOCKED: invalid({ destination_url: 'https://www.evil.example/' }),
  PLACEHOLDER_IN_ORIGIN: invalid({ destination_url: 'https://{path}.example/' }),
  INVALID_SLUG: invalid({ destination_url: GOOD, slug: 'a b' }),
  SLUG_RESERVED: invalid({ destination_url: GOOD, slug: 'API' }),
  SLUG_TAKEN: invalid({ destination_url: GOOD, aliases: ['taken'] }),
  SLUG_BLOCKED: invalid({ destination_url: GOOD, slug: 'BAD' }),
  ALIASES_FULL: fullAliases,
  DUPLICATE_VALUE: invalid({ destination_url: GOOD, aliases: ['twice', 'TWICE'] }),
  EXTERNAL_ID_TAKEN: api('POST', `${LINKS}/bulk`, () => ({
    key,
    body: {
      atomic: true,
      operations: [{ op: 'create', link: { destination_url: GOOD, external_id: 'mine' } }],
    },
  })),
  INVALID_TIMESTAMP: invalid({ destination_url: GOOD, starts_at: 'tomorrow' }),
  ENDS_BEFORE_START: invalid({
    destination_url: GOOD,
    starts_at: '2031-01-01T00:00:00Z',
    expires_at: '2030-01-01T00:00:00Z',
  }),
  INVALID_CHARACTERS: invalid({ destination_url: GOOD, title: 'a\u0007b' }),
  UNKNOWN_DOMAIN: invalid({ destination_url: GOOD, domain: 'elsewhere.example' }),
  INVALID_TIMEZONE: api('GET', '/api/v1/stats?timezone=Mars/Olympus'),
  TOO_MANY_INTERVALS: api('GET', '/api/v1/stats?interval=hour&from=2020-01-01'),
  INVALID_CURSOR: api('GET', `${LINKS}?cursor=forged`),
  INVALID_HEADER: api('POST', LINKS, () => ({
    key,
    body: { destination_url: GOOD },
    headers: { 'idempotency-key': 'a b' },
  })),
  CONFLICTING_PARAMETERS: api('GET', `${LINKS}?cursor=forged&page=2`),
  UNKNOWN_PARAMETER: api('GET', `${LINKS}?tags=summer`),
  JSON_SYNTAX: invalid('{"destination_url":'),
  DUPLICATE_KEY: invalid('{"slug":"a","slug":"b"}'),
  INVALID_ENCODING: invalid(new Uint8Array([0x7b, 0xff])),
  TOO_DEEP: invalid(`{"tags":${'['.repeat(40)}${']'.repeat(40)}}`),
  LINKS_LIMIT: api('POST', LINKS, () => ({ key: small, body: { destination_url: GOOD } })),
  FOLDER_NOT_FOUND: invalid({ destination_url: GOOD, folder_id: 'fld_nothing' }),
  TAG_NOT_FOUND: api('POST', '/api/v1/shares', () => ({ key, body: { subject: { tag: 'x' } } })),
  INVALID_COLOR: (lang) => api('GET', `${LINKS}/${linkId}/qr.svg?dark=blue`)(lang),
  LOW_CONTRAST: (lang) => api('GET', `${LINKS}/${linkId}/qr.svg?dark=ffffff&light=fefefe`)(lang),
  NO_LOGO: (lang) => api('GET', `${LINKS}/${linkId}/qr.svg?logo=true`)(lang),
  INVALID_IMAGE: api('PUT', '/api/v1/logo', () => ({ key, body: { image: 'AAAA' } })),
  TOO_FEW: invalid({ destination_url: GOOD, variants: [{ destination_url: GOOD, weight: 1 }] }),
  ADDRESSES_LIMIT: api('POST', LINKS, () => ({ key: crowded, body: { destination_url: GOOD } })),
}

test('every code of the public API has a provocation', () => {
  const known = [...Object.keys(PROVOCATIONS), ...NOT_OVER_HTTP, ...ELSEWHERE].sort()
  expect(known).toEqual([...PUBLIC_ERROR_CODES].sort())
  const details = [...Object.keys(DETAILS), ...OF_DASHBOARD, ...DETAILS_ELSEWHERE].sort()
  expect(details).toEqual([...PUBLIC_DETAIL_CODES].sort())
})

describe.each([...LOCALES])('in %s', (locale) => {
  test.each(Object.entries(PROVOCATIONS))('%s', async (code, provoke) => {
    const answer =
      code === 'PRECONDITION_FAILED'
        ? await api('PATCH', `${LINKS}/${linkId}`, () => ({
            key,
            body: { title: 'x' },
            headers: { 'if-match': '"no"' },
          }))(locale)
        : await provoke(locale)
    const { error } = (await answer.json()) as Problem
    expect({ status: answer.status, code: error.code }).toEqual({
      status: ERRORS[code as ErrorCode].status,
      code,
    })
    expect(answer.headers.get('content-language')).toBe(locale)
    expect(answer.headers.get('vary')?.toLowerCase()).toContain('accept-language')
    expect(answer.headers.get('x-request-id')).toBe(error.request_id)
    expect(error.message).not.toBe('')
    expect(error.message).not.toContain('{')
    if (code === 'SLUG_TAKEN') expect(error.suggestions).toHaveLength(3)
    const isTemporary = code === 'RATE_LIMITED' || code === 'IDEMPOTENCY_IN_PROGRESS'
    expect(answer.headers.has('retry-after')).toBe(isTemporary)
    expect(answer.headers.get('link')).toEndWith(`/docs/errors#${code}>; rel="help"`)
  })

  test.each(Object.entries(DETAILS))('details: %s', async (code, provoke) => {
    const answer = await (provoke as Provoke)(locale)
    const { error } = (await answer.json()) as Problem
    const detail = error.details?.find((found) => found.code === code)
    expect({ code, found: detail !== undefined, body: error }).toMatchObject({ found: true })
    expect(detail?.message).not.toBe('')
    expect(detail?.message).not.toContain('{')
  })
})

test('all failing fields are reported together', async () => {
  const answer = await post({
    slug: 'a b',
    title: 'x'.repeat(300),
    tags: 'no',
    max_clicks: 0,
    x: 1,
  })
  const { error } = (await answer.json()) as Problem
  expect(error.details?.map(({ field }) => field).sort()).toEqual([
    'destination_url',
    'max_clicks',
    'slug',
    'tags',
    'title',
    'x',
  ])
})

test('every path has the methods of the documents, so that no fixed path is taken for an id', async () => {
  const documented = { ...openapi.paths, ...dashboardApi.paths }
  const methods = ['get', 'post', 'patch', 'put', 'delete']
  for (const [path, operations] of Object.entries(documented)) {
    const { headers } = await slugline.call('OPTIONS', path.replaceAll(/\{\w+\}/g, 'any'))
    const allowed = methods.filter((method) => method in operations)
    const names = allowed.flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : method))
    const allow = [...names, 'OPTIONS'].join(', ').toUpperCase()
    expect([path, headers.get('Allow')]).toEqual([path, allow])
  }
  const wrong = async (method: string, path: string) => {
    const answer = await slugline.call(method, `${LINKS}${path}`, { key })
    return [answer.status, answer.headers.get('Allow')]
  }
  expect(await wrong('PATCH', '/lookup')).toEqual([405, 'GET, HEAD, OPTIONS'])
  expect(await wrong('DELETE', '/deleted')).toEqual([405, 'GET, HEAD, OPTIONS'])
  expect(await wrong('GET', '/bulk')).toEqual([405, 'POST, OPTIONS'])
  const external = [405, 'GET, HEAD, PATCH, PUT, DELETE, OPTIONS']
  expect(await wrong('POST', '/external/restore')).toEqual(external)
})
