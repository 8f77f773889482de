import { AppError } from '../errors/index.ts'
import { isSupportedLocale, type Locale, negotiateLocale } from '../i18n/index.ts'
import type { Decision } from '../limits/index.ts'
import type { Transaction, WriteOptions } from '../storage/index.ts'
import { admitPerson, assertSameOrigin, DASHBOARD_PREFIX } from './admit-person.ts'
import { callerOf, challengeOf } from './authenticate.ts'
import { BODY_BYTES_MAX, hasNoBody, readBody } from './body.ts'
import type { Answer, Call } from './call.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { asAppError, type Rendered, renderError, wantsProblem } from './errors.ts'
import { etagOf, matches, noneMatch } from './etag.ts'
import { apiHeaders, dashboardHeaders } from './headers.ts'
import { fingerprintOf, idempotencyKeyOf, ownKey } from './idempotency.ts'
import type { IdempotentRequest } from './idempotency-store.ts'
import { parseJsonObject } from './json.ts'
import { refundToPerson, takeOfPerson } from './person-limit.ts'
import { byParameter, langOf, pathOf, queryOf } from './query.ts'
import {
  type Allowance,
  addNoLimitHeaders,
  addRateLimitHeaders,
  addressKey,
  allowanceOf,
  assertAllowed,
} from './rate-limit.ts'
import type { RequestInfo, Services } from './services.ts'
import type { Caller, Person } from './types.ts'
import { validate } from './zod-details.ts'

/** Answers GET without a key, beside the endpoints; not part of the OpenAPI document. */
export type Page = (call: Pick<Call, 'locale'>) => Rendered | Promise<Rendered>

/** Answers whatever comes below a path, by itself. What it throws is rendered as every error. */
export type Mounted = (call: MountedCall) => Promise<Response>

/** A request that is handed on as it came. */
export type MountedCall = Pick<Call, 'request' | 'requestId' | 'locale' | 'baseUrl' | 'address'>

/** An answer that is rendered already: recorded, replayed, or a page. */
class Recorded implements Answer {
  readonly status: number
  constructor(readonly rendered: Rendered) {
    this.status = rendered.status
  }
}

/**
 * One request on its way through the pipeline: key → scope → limit → body → schema → handler →
 * answer. One object and one function instead of a stack of middleware, because every request
 * pays for each layer.
 */
export class Exchange implements Call {
  caller: Caller | null = null
  person: Person | null = null
  params: unknown
  query: unknown
  body: unknown
  readonly #headers: Record<string, string>
  #locale: Locale | undefined
  /** The allowance that this request was taken from. */
  #taken: Allowance | undefined
  #idempotent: IdempotentRequest | undefined

  constructor(
    readonly services: Services,
    readonly endpoint: AnyEndpoint | undefined,
    readonly request: Request,
    readonly info: RequestInfo,
    readonly requestId: string,
  ) {
    const headersOf = services.sessions === undefined ? apiHeaders : dashboardHeaders
    this.#headers = headersOf(requestId, services.baseUrl())
  }

  get baseUrl(): string {
    return this.services.baseUrl()
  }

  get address(): string {
    return this.services.clientAddress(this.info.peer, this.request.headers)
  }

  get locale(): Locale {
    if (this.#locale === undefined) {
      const own = this.person?.language ?? this.caller?.workspace.language ?? null
      this.#locale = negotiateLocale({
        query: langOf(this.request.url),
        acceptLanguage: this.request.headers.get('accept-language'),
        fallback: own !== null && isSupportedLocale(own) ? own : undefined,
        pseudoLocales: this.services.pseudoLocales ?? false,
      })
    }
    return this.#locale
  }

  // Properties instead of methods: handlers take them out of the call.
  readonly ifMatch = (version: number): boolean => {
    const { headers } = this.request
    const etag = etagOf(version)
    return matches(headers.get('if-match'), etag) && !noneMatch(headers.get('if-none-match'), etag)
  }

  readonly stillPermitted = async (): Promise<boolean> => {
    const { caller, request, services } = this
    const scope = this.endpoint?.scope ?? null
    if (caller === null || scope === null) return true
    const { sessions } = services
    let now: Caller | null
    if (sessions === undefined) {
      const found = await callerOf(request.headers.get('authorization'), services.authenticate)
      now = typeof found === 'string' ? null : found
    } else {
      const person = await sessions.personOf(request.headers)
      now = person === null ? null : await sessions.memberOf(person, caller.workspace.id)
    }
    return now !== null && now.workspace.no === caller.workspace.no && now.scopes.has(scope)
  }

  readonly mutate = async (
    work: (tx: Transaction) => Promise<Answer>,
    { together = false }: Pick<WriteOptions, 'together'> = {},
  ): Promise<Answer> => {
    const { storage, idempotency } = this.services
    const workspaceNo = this.caller?.workspace.no
    if (this.#idempotent === undefined) {
      return storage.write(work, workspaceNo === undefined ? {} : { workspaceNo, together })
    }
    return new Recorded(
      await idempotency.run(
        this.#idempotent,
        async (tx) => this.#render(await work(tx)),
        (error) => {
          const rendered = this.#renderError(error)
          // The body names the request's id: a replay must carry the same one.
          const headers = { ...rendered.headers, 'X-Request-Id': this.requestId }
          return { ...rendered, headers }
        },
      ),
    )
  }

  /** Answers the request; every failure becomes an error response. */
  async run(endpoint: AnyEndpoint, params: Record<string, string>): Promise<Response> {
    try {
      await this.#admit(endpoint)
      const replay = await this.#read(endpoint, params)
      const answer: Answer = replay ?? (await endpoint.handler(this as never))
      return answer.stream === undefined
        ? this.#respond(answer)
        : await this.#stream(answer, answer.stream)
    } catch (error) {
      return this.fail(error)
    } finally {
      if (this.#idempotent !== undefined) this.services.idempotency.end(this.#idempotent)
    }
  }

  /** Serves a page, or anything else that is no endpoint. */
  async serve(page: Page): Promise<Response> {
    try {
      return this.#respond(new Recorded(await page(this)))
    } catch (error) {
      return this.fail(error)
    }
  }

  /**
   * Answers what no endpoint does. It counts all the same: towards the plan of whoever has a key,
   * and else of the address.
   */
  async refuse(error: AppError): Promise<Response> {
    const { request, services } = this
    try {
      const header = request.headers.get('authorization')
      const caller = await callerOf(header, services.authenticate)
      if (typeof caller === 'string') await this.takeAnonymous()
      else await this.#take(caller, true)
    } catch (failure) {
      return this.fail(failure)
    }
    return this.fail(error)
  }

  /** Hands the request on; the answer gets the headers of all answers. */
  async pass(mounted: Mounted): Promise<Response> {
    try {
      assertSameOrigin(this.request, this.baseUrl)
      await this.takeAnonymous()
      const answer = await mounted(this)
      const headers = new Headers(answer.headers)
      for (const [name, value] of Object.entries(this.#headers)) headers.set(name, value)
      return new Response(answer.body, { status: answer.status, headers })
    } catch (error) {
      return this.fail(error)
    }
  }

  /** The response to a failure. */
  fail(error: unknown): Response | Promise<Response> {
    const failure = asAppError(error)
    // Whoever answers that it is away has said in the log since when: not again at each request.
    const isKnown = failure === error && failure.code === 'SERVICE_UNAVAILABLE'
    if (failure.status >= 500 && !isKnown) {
      const { cause } = failure
      this.services.logger.error(
        { request_id: this.requestId, err: cause ?? failure },
        'request failed',
      )
    }
    const refunding = failure.status === 403 ? this.#refund() : undefined
    if (refunding !== undefined) return refunding.then(() => this.#failed(failure))
    return this.#failed(failure)
  }

  #failed(failure: AppError): Response {
    const challenge = challengeOf(failure.code, this.endpoint?.scope ?? null)
    if (challenge !== undefined) this.#headers['WWW-Authenticate'] = challenge
    return this.#send(this.#renderError(failure))
  }

  /** Who asks, whether the key may do this, and whether it isn't too often. */
  async #admit(endpoint: AnyEndpoint): Promise<void> {
    if (this.services.sessions !== undefined) {
      return admitPerson(this, endpoint, this.services.sessions)
    }
    const { scope } = endpoint
    if (scope === null) {
      await this.takeAnonymous()
      return
    }
    const { request, services } = this
    const caller = await callerOf(request.headers.get('authorization'), services.authenticate)
    if (typeof caller === 'string') {
      await this.takeAnonymous()
      throw new AppError(caller)
    }
    const permitted = caller.scopes.has(scope)
    const taking = this.#take(caller, permitted)
    if (taking !== undefined) await taking
    if (!permitted) throw new AppError('INSUFFICIENT_SCOPE', { params: { scope } })
  }

  /** Takes the request from the caller's allowance; one that isn't permitted only looks at it. */
  #take(caller: Caller, permitted: boolean): Promise<void> | undefined {
    this.caller = caller
    const { no, plan } = caller.workspace
    const allowance = allowanceOf(plan.limits)
    const { limiter, clock } = this.services
    const now = clock.now()
    if (allowance === undefined) {
      addNoLimitHeaders(this.#headers, now)
      return undefined
    }
    const take = permitted ? limiter.take : limiter.look
    const taking = take(String(no), allowance.policy, now)
    const settle = (decision: Decision): Promise<void> | undefined => {
      addRateLimitHeaders(this.#headers, allowance, decision, now)
      assertAllowed(decision)
      if (!permitted) return undefined
      this.#taken = allowance
      return caller.person && takeOfPerson(this.services, caller)
    }
    return taking instanceof Promise ? taking.then(settle) : settle(taking)
  }

  /** Counts a request without a caller, by its address. @throws AppError RATE_LIMITED */
  takeAnonymous(): Promise<void> | undefined {
    const { anonymousLimiter, anonymousPolicy, clock } = this.services
    const taking = anonymousLimiter.take(addressKey(this.address), anonymousPolicy, clock.now())
    if (taking instanceof Promise) return taking.then(assertAllowed)
    assertAllowed(taking)
    return undefined
  }

  #refund(): Promise<void> | undefined {
    const taken = this.#taken
    if (taken === undefined || this.caller === null) return undefined
    this.#taken = undefined
    const { limiter, clock } = this.services
    const now = clock.now()
    const { caller } = this
    const add = (decision: Decision) => {
      addRateLimitHeaders(this.#headers, taken, decision, now)
      return caller.person && refundToPerson(this.services, caller)
    }
    const refunding = limiter.refund(String(this.caller.workspace.no), taken.policy, now)
    return refunding instanceof Promise ? refunding.then(add) : add(refunding)
  }

  /** Body, path and query, checked; or the answer to the same request before. */
  async #read(
    endpoint: AnyEndpoint,
    params: Record<string, string>,
  ): Promise<Recorded | undefined> {
    const { request } = this
    let bytes: Uint8Array | undefined
    if (endpoint.body !== undefined) {
      const isPatch = endpoint.method === 'patch'
      bytes =
        endpoint.bodyOptional !== undefined && hasNoBody(request)
          ? EMPTY_OBJECT
          : await readBody(request, isPatch, endpoint.bodyBytesMax ?? BODY_BYTES_MAX)
    }
    if (endpoint.method !== 'get' && endpoint.secret === undefined) {
      const header = request.headers.get('idempotency-key')
      if (header !== null) {
        const replay = await this.#claim(header, bytes ?? new Uint8Array())
        if (replay !== undefined) return new Recorded(replay)
      }
    }
    if (endpoint.params !== undefined) this.params = validate(endpoint.params, params)
    if (endpoint.query !== undefined) {
      this.query = validate(endpoint.query, queryOf(request.url), byParameter)
    }
    if (endpoint.body !== undefined && bytes !== undefined) {
      const value = parseJsonObject(bytes)
      if (value === undefined) throw new AppError('INVALID_JSON')
      this.body = validate(endpoint.body, value)
    }
    return undefined
  }

  async #claim(header: string, bytes: Uint8Array): Promise<Rendered | undefined> {
    const { request, caller, services } = this
    if (caller === null) return undefined
    const idempotent = {
      workspaceNo: caller.workspace.no,
      key: ownKey(caller, idempotencyKeyOf(header)),
      fingerprint: fingerprintOf(request.method, pathOf(request.url), bytes),
    }
    const replay = await services.idempotency.begin(idempotent)
    if (replay === undefined) this.#idempotent = idempotent
    return replay
  }

  #render({ status, body, version, headers }: Answer): Rendered {
    const all: Record<string, string> = body === undefined ? {} : { ...JSON_CONTENT }
    if (version !== undefined) all.ETag = etagOf(version)
    const text = body === undefined ? null : JSON.stringify(body)
    const isPublic = this.services.sessions === undefined
    if (text !== null && isPublic && this.endpoint?.cacheControl !== undefined) {
      all['Cache-Control'] = this.endpoint.cacheControl
      all.ETag = `"${Bun.hash(text).toString(36)}"`
    }
    if (this.#locale !== undefined) {
      all['Content-Language'] = this.#locale
      all.Vary = 'Accept-Language'
    }
    if (headers !== undefined) Object.assign(all, headers)
    if (!isPublic && all.Location?.startsWith('/api/')) {
      all.Location = DASHBOARD_PREFIX + all.Location
    }
    return { status, text, headers: all }
  }

  #renderError(error: AppError): Rendered {
    return renderError(error, {
      locale: this.locale,
      requestId: this.requestId,
      asProblem: wantsProblem(this.request.headers.get('accept')),
      baseUrl: this.baseUrl,
    })
  }

  #respond(answer: Answer): Response {
    const rendered = answer instanceof Recorded ? answer.rendered : this.#render(answer)
    const response = this.#conditional(rendered)
    for (const cookie of answer.cookies ?? []) response.headers.append('Set-Cookie', cookie)
    return response
  }

  async #stream({ status, headers }: Answer, open: NonNullable<Answer['stream']>) {
    const body = this.request.method === 'HEAD' ? null : await open()
    return new Response(body, { status, headers: Object.assign(this.#headers, headers) })
  }

  #conditional(rendered: Rendered): Response {
    const etag = rendered.headers.ETag
    if (
      etag !== undefined &&
      (this.request.method === 'GET' || this.request.method === 'HEAD') &&
      noneMatch(this.request.headers.get('if-none-match'), etag)
    ) {
      const { 'Content-Type': _, ...headers } = rendered.headers
      return this.#send({ status: 304, text: null, headers })
    }
    return this.#send(rendered)
  }

  #send({ status, text, headers }: Rendered): Response {
    const all = Object.assign(this.#headers, headers)
    if (text !== null && this.request.method === 'HEAD') {
      // The length that GET's body has (RFC 9110 §8.6); the body is taken off further out.
      all['Content-Length'] = String(Buffer.byteLength(text))
      all.Date = new Date().toUTCString()
    }
    return new Response(text, { status, headers: all })
  }
}

const EMPTY_OBJECT = new TextEncoder().encode('{}')

const JSON_CONTENT = { 'Content-Type': 'application/json' } as const
