import { AppError } from '../errors/index.ts'
import type { Exchange } from './exchange.ts'
import { queryOf } from './request.ts'
import type {
  AnyEndpoint,
  Authenticate,
  Call,
  Caller,
  Permission,
  Person,
  Sessions,
} from './types.ts'

/** The path prefix of the dashboard and its API. */
export const DASHBOARD_PREFIX = '/app'

/** Names the workspace that a person works in: they may belong to several. */
const WORKSPACE_HEADER = 'slugline-workspace'

const BEARER = /^bearer(?: +(.*))?$/i
const TOKEN68 = /^[A-Za-z0-9\-._~+/]+=*$/

/**
 * The caller behind an `Authorization` header (RFC 9110 §11.6.2, RFC 6750 §2.1), or the code of the
 * error that says why there is none. Another scheme's credential counts as none.
 */
export async function callerOf(
  { headers }: Request,
  authenticate: Authenticate,
): Promise<Caller | 'UNAUTHORIZED' | 'INVALID_API_KEY'> {
  const credential = BEARER.exec(headers.get('authorization')?.trim() ?? '')?.[1]
  if (!credential) return 'UNAUTHORIZED'
  if (!TOKEN68.test(credential)) return 'INVALID_API_KEY'
  return (await authenticate(credential)) ?? 'INVALID_API_KEY'
}

/** The value of `WWW-Authenticate` (RFC 6750 §3) for an error, where it has one. */
export function challengeOf(code: string, scope: Permission | 'any' | null): string | undefined {
  switch (code) {
    case 'UNAUTHORIZED':
      return 'Bearer realm="slugline"'
    case 'INVALID_API_KEY':
      return 'Bearer realm="slugline", error="invalid_token"'
    case 'INSUFFICIENT_SCOPE':
      return `Bearer realm="slugline", error="insufficient_scope", scope="${scope}"`
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
export function permits(caller: Caller, scope: Permission | 'any'): boolean {
  return scope === 'any' || caller.scopes.has(scope)
}

/** A request, and what is found out about its sender. */
type Admission = Pick<Exchange, 'request' | 'services' | 'meter' | 'address' | 'caller' | 'person'>

/** Finds the caller of a request, and checks their permission and their limit. @throws AppError */
export async function admit(to: Admission, endpoint: AnyEndpoint): Promise<void> {
  const { scope } = endpoint
  const { sessions } = to.services
  if (sessions !== undefined) return admitPerson(to, endpoint, sessions)
  if (scope === null) return to.meter.takeAnonymous(to.address)
  const caller = await identify(to, scope)
  if (typeof caller === 'string') throw new AppError(caller)
  if (!permits(caller, scope)) throw new AppError('INSUFFICIENT_SCOPE', { params: { scope } })
}

/**
 * Finds whose key a request has, and counts the request by the key or by the address.
 * @throws AppError RATE_LIMITED
 */
export async function identify(to: Admission, scope: Permission | 'any') {
  const caller = await callerOf(to.request, to.services.authenticate)
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

/** How recent a sign-in or confirmation must be for what could take an account or a workspace away. */
export const FRESH_MS = 15 * 60_000

/** @throws AppError SIGN_IN_AGAIN */
function assertFresh({ fresh }: AnyEndpoint, { confirmedAt }: Person, now: number): void {
  if (fresh && now - confirmedAt > FRESH_MS) throw new AppError('SIGN_IN_AGAIN')
}

/**
 * The person as a member of the workspace that the request names.
 * A workspace that isn't theirs gets the same answer as one that doesn't exist.
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

/** Methods that change nothing (RFC 9110 §9.2.1). */
const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * The workspace that a request names: in a header, or in `?workspace=` where the browser sends the
 * request by itself and can't add a header, for a download or an EventSource.
 */
function workspaceOf({ method, headers, url }: Request): string | null {
  const header = headers.get(WORKSPACE_HEADER)
  if (header !== null || !SAFE.has(method)) return header
  const { workspace } = queryOf(url)
  return typeof workspace === 'string' ? workspace : null
}

/**
 * Refuses requests that another site makes a browser send. Scripts can't set `Sec-Fetch-Site`, and
 * it is right behind any proxy; `Origin` serves browsers and origins without TLS that lack it.
 * @throws AppError CROSS_SITE_REQUEST
 */
export function assertSameOrigin({ method, headers }: Request, baseUrl: string): void {
  if (SAFE.has(method)) return
  const site = headers.get('sec-fetch-site')
  if (site === null ? headers.get('origin') === baseUrl : site === 'same-origin') return
  throw new AppError('CROSS_SITE_REQUEST')
}

/** The signed-in person, where the endpoint's declaration has `person: true`. */
export function personOf({ person }: Pick<Call, 'person'>): Person {
  if (person === null) throw new AppError('SIGN_IN_REQUIRED')
  return person
}
