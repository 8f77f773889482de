import {
  FRESH_MS,
  type Mounted,
  type MountedCall,
  type Person,
  parseJsonObject,
  pathOf,
  readBody,
  searchOf,
  validate,
} from '../../http/index.ts'
import { addressKey } from '../../lib/base/client-address.ts'
import { AppError } from '../../lib/errors/index.ts'
import { emailKey } from '../../lib/validation/email.ts'
import { assertNotCommon } from '../users/input.ts'
import { LIMITS, type Limit } from './attempts.ts'
import type { Auth } from './auth.ts'
import { appErrorOf } from './auth-errors.ts'
import { followUp, recordFailure, SIGN_INS } from './outcomes.ts'
import type { AccountParts } from './parts.ts'
import { AUTH_PATHS, type AuthPath } from './paths.ts'
import { AUTH_PATH } from './site.ts'

/** Longer than hashing a password and storing an account take. */
const CONSTANT_MS = 500

interface HandlerDeps extends AccountParts {
  /** Loaded with the first request that needs it: it takes half a second and 50 MB. */
  auth(): Promise<Auth>
  /** The instance for single sign-on; null: there is no provider, or it can't be reached. */
  singleSignOn(): Promise<Auth | null>
}

type Body = Record<string, unknown>

/**
 * Handles requests under `/app/api/auth`: forwards the listed paths, counts what could be guessed,
 * and converts better-auth's errors to ours.
 */
export function createAuthHandler(deps: HandlerDeps): Mounted {
  const handle = createForwarder(deps)
  return async (call) => {
    const path = pathOf(call.request.url).slice(AUTH_PATH.length)
    try {
      return await handle(call, path)
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'INTERNAL_ERROR'
      if (SIGN_INS.has(path)) deps.signInFailed?.(`code="${code}"`)
      throw error
    }
  }
}

function createForwarder(deps: HandlerDeps) {
  return async (call: MountedCall, path: string): Promise<Response> => {
    const person = await deps.sessions.personOf(call.request.headers)
    const rule = AUTH_PATHS[path]
    if (rule === undefined) throw new AppError('NOT_FOUND')
    assertMethod(rule, call.request.method)
    if (rule.mails && !deps.mails.available) throw new AppError('MAIL_NOT_SET_UP')
    if (rule.own && person === null) throw new AppError('SIGN_IN_REQUIRED')
    const body = rule.method === 'POST' ? await bodyOf(rule, call.request) : undefined
    if (rule.own && person !== null) {
      const { list, revoke } = deps.ownSessions
      return Response.json(await (body ? revoke(person, String(body.token)) : list(person)))
    }
    // Signing up is impossible before the instance has an owner.
    if (path === '/sign-up/email' && !(await deps.claims.isClaimed())) {
      throw new AppError('SIGN_UP_CLOSED')
    }
    if (rule.fresh && person !== null && deps.clock.now() - person.confirmedAt > FRESH_MS) {
      throw new AppError('REAUTHENTICATION_REQUIRED')
    }
    const refundable = await count(deps, rule, call, body, person)
    const auth = await (rule.oidc ? deps.singleSignOn() : deps.auth())
    if (auth === null) {
      throw new AppError('SERVICE_UNAVAILABLE', { headers: { 'Retry-After': '10' } })
    }
    // A new password ends all other sessions.
    if (path === '/change-password' && body !== undefined) body.revokeOtherSessions = true
    if (rule.newPassword !== undefined) {
      const email = person?.email ?? (body?.email as string | undefined)
      await assertNotCommon(rule.newPassword, String(body?.[rule.newPassword]), email)
    }
    const ask = () => auth.handler(forwarded(call, rule, body))
    const [response] = await Promise.all([
      rule.hashes ? deps.hashes.run('signIn', addressKey(call.address), ask) : ask(),
      rule.constantTime && Bun.sleep(deps.constantMs ?? CONSTANT_MS),
    ])
    if (response.status >= 400) {
      const { status } = response
      const code = String((await jsonOf(response))?.code ?? '')
      const { passwordField = 'password' } = rule
      const refusal = appErrorOf({ status, code, passwordField, path, signedIn: person !== null })
      if (refusal.code === 'SIGN_IN_FAILED' && path === '/sign-in/email') {
        // Not awaited: the time must not reveal who has an account. The storage logs failures.
        recordFailure(deps, String(body?.email), call.requestId).catch(() => {})
      }
      throw refusal
    }
    for (const [limit, subject] of refundable) await deps.attempts.refund(limit, subject)
    const headers = new Headers(response.headers)
    await followUp(deps, path, person, headers, call)
    // The link of a message verifies an address; it doesn't sign anyone in.
    if (path === '/verify-email' && person === null) await deps.ownSessions.drop(headers)
    return answerOf(response, path, headers)
  }
}

function assertMethod({ method }: AuthPath, given: string): void {
  if (given === method || (given === 'HEAD' && method === 'GET')) return
  throw new AppError('METHOD_NOT_ALLOWED', {
    params: { allowed: [method] },
    headers: { Allow: method },
  })
}

/** @throws AppError INVALID_JSON, VALIDATION_FAILED and what reading a body throws */
async function bodyOf(rule: AuthPath, request: Request): Promise<Body> {
  const bytes = await readBody(request, false)
  const body = await parseJsonObject(bytes)
  return rule.body === undefined ? {} : validate(rule.body, body)
}

/**
 * Takes an attempt; returns what a success refunds. A device on which the account's owner has
 * signed in before is counted separately, so that strangers can't lock them out.
 * @throws AppError RATE_LIMITED, SIGN_IN_REQUIRED
 */
async function count(
  { attempts, devices }: HandlerDeps,
  { perAddress, perAccount, perPerson }: AuthPath,
  { address, request }: MountedCall,
  body: Body | undefined,
  person: Person | null,
): Promise<[Limit, string][]> {
  const refundable: [Limit, string][] = []
  if (perAddress !== undefined) await attempts.take(perAddress, addressKey(address))
  if (perAccount !== undefined) {
    const email = emailKey(String(body?.[perAccount.field]))
    const device = await devices.idOf(request.headers, email)
    const account = device === null ? email : `device ${device}`
    await attempts.take(perAccount.limit, account)
    // A correct password is refunded; a sent message isn't.
    if (perAccount.limit === LIMITS.signInAccount) refundable.push([perAccount.limit, account])
  }
  if (perPerson !== undefined) {
    if (person === null) throw new AppError('SIGN_IN_REQUIRED')
    await attempts.take(perPerson, person.userId)
    refundable.push([perPerson, person.userId])
  }
  return refundable
}

/** The request for better-auth: with the validated body and without the client's address. */
function forwarded(
  { request, baseUrl }: MountedCall,
  { asGet }: AuthPath,
  body: Body | undefined,
): Request {
  const headers = new Headers(request.headers)
  for (const name of ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'forwarded']) {
    headers.delete(name)
  }
  headers.delete('content-length')
  const search = asGet
    ? `?${new URLSearchParams(body as Record<string, string>)}`
    : searchOf(request.url)
  return new Request(baseUrl + pathOf(request.url) + search, {
    method: asGet || request.method === 'HEAD' ? 'GET' : request.method,
    headers,
    ...(body !== undefined && !asGet && { body: JSON.stringify(body) }),
  })
}

/** The response without the session's token, which scripts must not see. */
async function answerOf(response: Response, path: string, headers: Headers): Promise<Response> {
  // The same response for every address, so that it doesn't reveal which accounts exist.
  const body = path === '/sign-up/email' ? { status: true } : await jsonOf(response)
  if (body === null || body === undefined) {
    return new Response(body === null ? 'null' : null, { status: response.status, headers })
  }
  // Otherwise a browser may only require a touch, which we would refuse afterwards.
  if (path === '/passkey/generate-authenticate-options') body.userVerification = 'required'
  delete body.token
  for (const name of ['session', 'user']) {
    const part = body[name]
    if (typeof part === 'object' && part !== null) delete (part as Body).token
  }
  headers.delete('content-length')
  return new Response(JSON.stringify(body), { status: response.status, headers })
}

/** Undefined: not JSON. */
async function jsonOf(response: Response): Promise<Body | null | undefined> {
  try {
    return (await response.json()) as Body | null
  } catch {
    return undefined
  }
}
