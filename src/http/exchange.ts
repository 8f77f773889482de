import type { z } from '@hono/zod-openapi'
import { AppError } from '../errors/index.ts'
import { isSupportedLocale, type Locale, negotiateLocale } from '../i18n/index.ts'
import type { Transaction } from '../storage/index.ts'
import { callerOf, challengeOf } from './authenticate.ts'
import { BODY_BYTES_MAX, readBody } from './body.ts'
import type { Answer, Call } from './call.ts'
import type { AnyEndpoint } from './endpoint.ts'
import { asAppError, type Rendered, renderError, wantsProblem } from './errors.ts'
import { etagOf, matches, noneMatch } from './etag.ts'
import { apiHeaders } from './headers.ts'
import { fingerprintOf, idempotencyKeyOf } from './idempotency.ts'
import type { IdempotentRequest } from './idempotency-store.ts'
import { parseJsonObject } from './json.ts'
import { langOf, pathOf, queryOf } from './query.ts'
import {
  type Allowance,
  addRateLimitHeaders,
  addressKey,
  allowanceOf,
  rateLimited,
} from './rate-limit.ts'
import type { RequestInfo, Services } from './services.ts'
import type { Caller } from './types.ts'
import { detailsOfZodError } from './zod-details.ts'

/** Answers GET without a key, beside the endpoints; not part of the OpenAPI document. */
export type Page = (call: Pick<Call, 'locale'>) => Rendered | Promise<Rendered>

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
    this.#headers = apiHeaders(requestId, services.baseUrl())
  }

  get baseUrl(): string {
    return this.services.baseUrl()
  }

  get locale(): Locale {
    if (this.#locale === undefined) {
      const own = this.caller?.workspace.language ?? null
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
  readonly ifMatch = (version: number): boolean =>
    matches(this.request.headers.get('if-match'), etagOf(version))

  readonly mutate = async (work: (tx: Transaction) => Promise<Answer>): Promise<Answer> => {
    const { storage, idempotency } = this.services
    if (this.#idempotent === undefined) return storage.write(work)
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
      return this.#respond(replay ?? (await endpoint.handler(this as never)))
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

  /** The response to a failure. */
  fail(error: unknown): Response {
    const failure = asAppError(error)
    if (failure.status >= 500) {
      const { cause } = failure
      this.services.logger.error(
        { request_id: this.requestId, err: cause ?? failure },
        'request failed',
      )
    }
    if (failure.status === 403) this.#refund()
    const challenge = challengeOf(failure.code, this.endpoint?.scope ?? null)
    if (challenge !== undefined) this.#headers['WWW-Authenticate'] = challenge
    return this.#send(this.#renderError(failure))
  }

  /** Who asks, whether the key may do this, and whether it isn't too often. */
  async #admit({ scope }: AnyEndpoint): Promise<void> {
    if (scope === null) return this.#takeAnonymous()
    const { request, services } = this
    const caller = await callerOf(request.headers.get('authorization'), services.authenticate)
    if (typeof caller === 'string') {
      this.#takeAnonymous()
      throw new AppError(caller)
    }
    this.caller = caller
    const { no, plan } = caller.workspace
    const allowance = allowanceOf(plan.limits)
    const permitted = caller.scopes.has(scope)
    if (allowance !== undefined) {
      const { limiter, clock } = services
      const now = clock.now()
      const key = String(no)
      const decision = permitted
        ? limiter.take(key, allowance.policy, now)
        : limiter.look(key, allowance.policy, now)
      addRateLimitHeaders(this.#headers, allowance, decision, now)
      if (!decision.allowed) throw rateLimited(decision)
      if (permitted) this.#taken = allowance
    }
    if (!permitted) throw new AppError('INSUFFICIENT_SCOPE', { params: { scope } })
  }

  #takeAnonymous(): void {
    const { anonymousLimiter, anonymousPolicy, clientAddress, clock } = this.services
    const address = addressKey(clientAddress(this.info.peer, this.request.headers))
    const decision = anonymousLimiter.take(address, anonymousPolicy, clock.now())
    if (!decision.allowed) throw rateLimited(decision)
  }

  #refund(): void {
    if (this.#taken === undefined || this.caller === null) return
    const { limiter, clock } = this.services
    const now = clock.now()
    const decision = limiter.refund(String(this.caller.workspace.no), this.#taken.policy, now)
    addRateLimitHeaders(this.#headers, this.#taken, decision, now)
    this.#taken = undefined
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
      bytes = await readBody(request, isPatch, endpoint.bodyBytesMax ?? BODY_BYTES_MAX)
    }
    if (endpoint.method !== 'get') {
      const header = request.headers.get('idempotency-key')
      if (header !== null) {
        const replay = await this.#claim(header, bytes ?? new Uint8Array())
        if (replay !== undefined) return new Recorded(replay)
      }
    }
    if (endpoint.params !== undefined) this.params = validate(endpoint.params, params)
    if (endpoint.query !== undefined) this.query = validate(endpoint.query, queryOf(request.url))
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
      key: idempotencyKeyOf(header),
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
    if (text !== null && this.endpoint?.cacheControl !== undefined) {
      all['Cache-Control'] = this.endpoint.cacheControl
      all.ETag = `"${Bun.hash(text).toString(36)}"`
    }
    if (this.#locale !== undefined) {
      all['Content-Language'] = this.#locale
      all.Vary = 'Accept-Language'
    }
    return { status, text, headers: headers === undefined ? all : Object.assign(all, headers) }
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

const JSON_CONTENT = { 'Content-Type': 'application/json' } as const

/** @throws AppError VALIDATION_FAILED with every field that fails. */
function validate(schema: z.ZodType, input: unknown): unknown {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  throw new AppError('VALIDATION_FAILED', {
    details: detailsOfZodError(result.error, input, schema),
  })
}
