import { AppError } from '../errors/index.ts'
import type { Policy } from '../limits/index.ts'
import type { Call } from './call.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { takeOfPlan } from './person-limit.ts'
import { queryOf } from './query.ts'
import { assertAllowed } from './rate-limit.ts'
import type { Services } from './services.ts'
import type { Caller, Person, Sessions } from './types.ts'

/** What stands before the paths of the dashboard's API. */
export const DASHBOARD_PREFIX = '/app'

/** Names the workspace that a person means; nobody has only one for good. */
export const WORKSPACE_HEADER = 'slugline-workspace'

/** What one person may send, in all of their windows: live checks while typing included. */
const PERSON_POLICY: Policy = { ratePerMinute: 1_200, burst: 600 }

/** What could take an account or a workspace away needs a sign-in, or a confirmation, this recent. */
export const FRESH_MS = 15 * 60_000

const SAFE: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The part of a request's exchange that is settled here. */
interface Admission {
  readonly request: Request
  readonly baseUrl: string
  readonly services: Pick<Services, 'limiter' | 'planLimiter' | 'clock'>
  person: Person | null
  caller: Caller | null
  takeAnonymous(): Promise<void> | undefined
}

/**
 * Who asks, and whether their role permits this endpoint: same origin → session → limit →
 * workspace → permission. A workspace that isn't theirs is answered as one that doesn't exist.
 * @throws AppError
 */
export async function admitPerson(
  exchange: Admission,
  { scope, person: personNeeded, fresh, uncounted }: AnyEndpoint,
  sessions: Sessions,
): Promise<void> {
  const { request, baseUrl, services } = exchange
  assertSameOrigin(request, baseUrl)
  const person = await sessions.personOf(request.headers)
  if (person === null) {
    await exchange.takeAnonymous()
    if (scope === null && personNeeded === undefined) return
    throw new AppError('SIGN_IN_REQUIRED')
  }
  exchange.person = person
  const taking = services.limiter.take(person.userId, PERSON_POLICY, services.clock.now())
  const decision = taking instanceof Promise ? await taking : taking
  assertAllowed(decision)
  if (personNeeded === 'instance owner' && !person.instanceOwner) throw new AppError('FORBIDDEN')
  if (scope === null) return assertFresh(fresh, person, services.clock.now())
  const workspace = workspaceOf(request)
  const caller = workspace === null ? null : await sessions.memberOf(person, workspace)
  if (caller === null) throw new AppError('WORKSPACE_NOT_FOUND')
  exchange.caller = caller
  if (!caller.scopes.has(scope)) throw new AppError('FORBIDDEN')
  if (!SAFE.has(request.method) && !uncounted) {
    await takeOfPlan({ limiter: services.planLimiter, clock: services.clock }, caller)
  }
  assertFresh(fresh, person, services.clock.now())
}

/** @throws AppError SIGN_IN_AGAIN */
function assertFresh(isNeeded: true | undefined, { confirmedAt }: Person, now: number): void {
  if (isNeeded && now - confirmedAt > FRESH_MS) throw new AppError('SIGN_IN_AGAIN')
}

/**
 * The workspace that a request names: in a header, or in `?workspace=` where a browser sends the
 * request by itself and can't add one, for a download and an EventSource.
 */
function workspaceOf({ method, headers, url }: Request): string | null {
  const header = headers.get(WORKSPACE_HEADER)
  if (header !== null || !SAFE.has(method)) return header
  const { workspace } = queryOf(url)
  return typeof workspace === 'string' ? workspace : null
}

/**
 * Refuses what another site makes a browser send. `Sec-Fetch-Site` can't be set by a script, and
 * is right behind any proxy; `Origin` serves the browsers and the TLS-less origins without it.
 * @throws AppError CROSS_SITE_REQUEST
 */
export function assertSameOrigin({ method, headers }: Request, baseUrl: string): void {
  if (SAFE.has(method)) return
  const site = headers.get('sec-fetch-site')
  if (site === null ? headers.get('origin') === baseUrl : site === 'same-origin') return
  throw new AppError('CROSS_SITE_REQUEST')
}

/** Who is signed in, where the endpoint's declaration has `person: true`. */
export function personOf({ person }: Pick<Call, 'person'>): Person {
  if (person === null) throw new AppError('SIGN_IN_REQUIRED')
  return person
}
