import { AppError } from '../lib/errors/index.ts'
import { includesScope, sufficientFor } from '../model/keys/scopes.ts'
import type { Authenticate, Caller, Permission, Person, Sessions } from './callers.ts'
import type { Meter } from './meter.ts'
import { queryOf, readBody } from './request.ts'
import type { AnyEndpoint, ApiDeps, Call } from './types.ts'

/** The path prefix of the dashboard and its API. */
export const DASHBOARD_PREFIX = '/app'

/** The header with the workspace of a request: a person may belong to several. */
const WORKSPACE_HEADER = 'slugline-workspace'

const BEARER = /^bearer(?: +(.*))?$/i
const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * The caller of an `Authorization` header (RFC 9110 §11.6.2, RFC 6750 §2.1), or the error code if
 * there is none. Credentials of other schemes are ignored.
 */
export async function callerOf(
  { headers }: Request,
  authenticate: Authenticate,
  address: string,
): Promise<Caller | 'UNAUTHORIZED' | 'INVALID_API_KEY'> {
  const credential = BEARER.exec(headers.get('authorization')?.trim() ?? '')?.[1]
  if (!credential) return 'UNAUTHORIZED'
  if (!TOKEN68.test(credential)) return 'INVALID_API_KEY'
  return (await authenticate(credential, address)) ?? 'INVALID_API_KEY'
}

/** The value of `WWW-Authenticate` (RFC 6750 §3, RFC 9728 §5.1) for an error that needs it. */
export function challengeOf(
  code: string,
  { endpoint, baseUrl }: { endpoint: AnyEndpoint | undefined; baseUrl: string },
): string | undefined {
  const { scope = null, resourceMetadata } = endpoint ?? {}
  const metadata = resourceMetadata && `, resource_metadata="${baseUrl}${resourceMetadata}"`
  switch (code) {
    case 'UNAUTHORIZED':
      return `Bearer realm="slugline"${metadata ?? ''}`
    case 'INVALID_API_KEY':
      return `Bearer realm="slugline", error="invalid_token"${metadata ?? ''}`
    case 'INSUFFICIENT_SCOPE':
      return `Bearer realm="slugline", error="insufficient_scope", scope="${namedScope(scope)}"`
    case 'SIGN_IN_REQUIRED':
    case 'SIGN_IN_FAILED':
    case 'INVALID_CODE':
    case 'PASSKEY_FAILED':
      return 'Session realm="slugline"'
    default:
      return undefined
  }
}

/** Whether a caller may use an endpoint of this scope. */
export function permits(
  { scopes }: Pick<Caller, 'scopes'>,
  scope: Permission | 'any' | null,
): boolean {
  return scope === null || scope === 'any' || includesScope(scopes, scope)
}

/** @throws AppError INSUFFICIENT_SCOPE */
export function assertPermits(caller: Pick<Caller, 'scopes'>, scope: Permission | 'any'): void {
  if (permits(caller, scope)) return
  throw new AppError('INSUFFICIENT_SCOPE', { params: { scope: namedScope(scope) } })
}

/** The scope to ask for: of several that suffice, the best known one, which is the broadest. */
function namedScope(scope: Permission | 'any' | null): string {
  return sufficientFor(scope ?? 'any')[0] as string
}

/** A request, and what is known about its sender. */
interface Admission {
  readonly request: Request
  readonly services: Pick<ApiDeps, 'authenticate' | 'sessions' | 'baseUrl' | 'clock'>
  readonly meter: Meter
  readonly address: string
  caller: Caller | null
  person: Person | null
}

/** Identifies the caller, and checks permission and rate limit. @throws AppError */
export async function admit(to: Admission, endpoint: AnyEndpoint): Promise<void> {
  const { scope, costMax, bodyBytesMax } = endpoint
  const { sessions } = to.services
  if (costMax !== undefined) {
    to.meter.costAhead = () => readBody(to.request, false, bodyBytesMax).then(costMax, () => 1)
  }
  if (sessions !== undefined) return admitPerson(to, endpoint, sessions)
  if (scope === null) return to.meter.takeAnonymous(to.address)
  const caller = await identify(to, scope)
  if (typeof caller === 'string') throw new AppError(caller)
  assertPermits(caller, scope)
  if (endpoint.wholeWorkspace && caller.allowed !== undefined) throw new AppError('KEY_RESTRICTED')
}

/**
 * Identifies the key of a request, and counts the request by key or by address.
 * @throws AppError RATE_LIMITED
 */
export async function identify(to: Admission, scope: Permission | 'any') {
  const caller = await callerOf(to.request, to.services.authenticate, to.address)
  if (typeof caller === 'string') {
    await to.meter.takeAnonymous(to.address)
  } else {
    to.caller = caller
    await to.meter.take(caller, permits(caller, scope))
  }
  return caller
}

async function admitPerson(
  to: Admission,
  endpoint: AnyEndpoint,
  sessions: Sessions,
): Promise<void> {
  const { request, services, meter } = to
  assertSameOrigin(request, services.baseUrl)
  to.person = await sessions.personOf(request.headers)
  if (to.person === null) {
    await meter.takeAnonymous(to.address)
    if (endpoint.scope === null && endpoint.person === undefined) return
    throw new AppError('SIGN_IN_REQUIRED')
  }
  await meter.takePerson(to.person.userId)
  to.caller = await memberOf(request, to.person, endpoint, sessions)
  if (to.caller !== null && !SAFE.has(request.method) && !endpoint.uncounted) {
    await meter.takePlan(to.caller)
  }
  assertFresh(endpoint, to.person, services.clock.now())
}

/** How recent the sign-in or confirmation must be for actions that could take over an account. */
export const FRESH_MS = 15 * 60_000

/** @throws AppError REAUTHENTICATION_REQUIRED */
function assertFresh({ fresh }: AnyEndpoint, { confirmedAt }: Person, now: number): void {
  if (fresh && now - confirmedAt > FRESH_MS) throw new AppError('REAUTHENTICATION_REQUIRED')
}

/**
 * The person as a member of the request's workspace. Another's workspace is answered like one that
 * doesn't exist.
 * @throws AppError WORKSPACE_NOT_FOUND, FORBIDDEN
 */
export async function memberOf(
  request: Request,
  person: Person,
  { scope, person: personNeeded }: AnyEndpoint,
  sessions: Sessions,
): Promise<Caller | null> {
  if (personNeeded === 'instance owner' && !person.instanceOwner) throw new AppError('FORBIDDEN')
  if (scope === null) return null
  const workspace = workspaceOf(request)
  const caller = workspace === null ? null : await sessions.memberOf(person, workspace)
  if (caller === null) throw new AppError('WORKSPACE_NOT_FOUND')
  if (!permits(caller, scope)) throw new AppError('FORBIDDEN')
  return caller
}

/** Safe methods (RFC 9110 §9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * The workspace of a request: in a header, or in `?workspace=` if the browser makes the request
 * itself and can't add a header, for a download or an EventSource.
 */
function workspaceOf({ method, headers, url }: Request): string | null {
  const header = headers.get(WORKSPACE_HEADER)
  if (header !== null || !SAFE.has(method)) return header
  const { workspace } = queryOf(url)
  return typeof workspace === 'string' ? workspace : null
}

/**
 * Refuses cross-site requests. Scripts can't set `Sec-Fetch-Site`, and it is correct behind any
 * proxy; `Origin` is for browsers and origins without TLS, which don't send it.
 * @throws AppError CROSS_SITE_REQUEST
 */
export function assertSameOrigin({ method, headers }: Request, baseUrl: string): void {
  if (SAFE.has(method)) return
  const site = headers.get('sec-fetch-site')
  if (site === null ? headers.get('origin') === baseUrl : site === 'same-origin') return
  throw new AppError('CROSS_SITE_REQUEST')
}

/** The signed-in person of an endpoint declared with `person: true`. */
export function personOf({ person }: Pick<Call, 'person'>): Person {
  if (person === null) throw new AppError('SIGN_IN_REQUIRED')
  return person
}
