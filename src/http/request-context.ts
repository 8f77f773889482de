import { prefersJson, prefersProblem } from '../lib/base/accept.ts'
import { viewOf } from '../lib/base/view.ts'
import { type AppError, type Rendered, renderError } from '../lib/errors/index.ts'
import { isSupportedLocale, type Locale, negotiateLocale } from '../lib/i18n/index.ts'
import { rehearse, type Transaction } from '../platform/storage/index.ts'
import { type AddedEndpoint, changesIn } from './added-endpoint.ts'
import {
  admit,
  assertSameOrigin,
  callerOf,
  challengeOf,
  DASHBOARD_PREFIX,
  identify,
  permits,
} from './admission.ts'
import type { Caller, IfMatch, Person } from './callers.ts'
import { CatchUp } from './catch-up.ts'
import { byParameter } from './details.ts'
import { DryRunQuery } from './dry-run.ts'
import { asAppError } from './failure.ts'
import { fingerprintOf, type IdempotentRequest, idempotencyKeyOf, ownKey } from './idempotency.ts'
import { Meter } from './meter.ts'
import { asReadOnly } from './read-only.ts'
import { assertKnownParameters, bodyOf, checkAll, langOf, queryOf, validate } from './request.ts'
import {
  apiHeaders,
  digestTag,
  namesVersion,
  send,
  sendPage,
  sendStream,
  versionMatches,
} from './respond.ts'
import type { Services } from './services.ts'
import type { Answer, AnyEndpoint, Call, ErrorPage, Mounted, Page, RequestInfo } from './types.ts'

/**
 * A request on its way through the pipeline: caller → scope → limit → body → schema → handler →
 * response. Handlers know it as a {@link Call}. One object instead of middleware, because each stage
 * needs the results of others.
 */
export class RequestContext {
  caller: Caller | null = null
  person: Person | null = null
  params: unknown
  query: unknown
  body: unknown
  dryRun = false
  /** Headers of the response, whatever it will be. */
  readonly headers: Record<string, string>
  readonly meter: Meter
  readonly baseUrl: string
  #locale: Locale | undefined
  #idempotent: IdempotentRequest | undefined
  readonly #catchUp: CatchUp

  constructor(
    readonly services: Services,
    readonly endpoint: AnyEndpoint | undefined,
    readonly request: Request,
    readonly info: RequestInfo,
    readonly requestId: string,
  ) {
    this.baseUrl = services.baseUrl
    this.headers = apiHeaders(requestId, this.baseUrl, services.sessions !== undefined)
    this.meter = new Meter(services, this.headers)
    this.#catchUp = new CatchUp(services)
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

  // Properties instead of methods, because handlers destructure them.

  readonly ifMatch: IfMatch = (version) => {
    const { headers } = this.request
    return (
      versionMatches(headers.get('if-match'), version) &&
      !namesVersion(headers.get('if-none-match'), version)
    )
  }

  readonly stillPermitted: Call['stillPermitted'] = async () => {
    const { caller, request } = this
    const scope = this.endpoint?.scope ?? null
    if (caller === null || scope === null) return true
    const { sessions, authenticate } = this.services
    let now: Caller | null
    if (sessions === undefined) {
      const found = await callerOf(request, authenticate, this.address)
      now = typeof found === 'string' ? null : found
    } else {
      const person = await sessions.personOf(request.headers)
      now = person === null ? null : await sessions.memberOf(person, caller.workspace.id)
    }
    if (now?.workspace.no !== caller.workspace.no) return false
    // A caller who can see less than at the start doesn't get the rest.
    const seesAlike = JSON.stringify(viewOf(now)) === JSON.stringify(viewOf(caller))
    return seesAlike && permits(now, scope)
  }

  readonly mutate: Call['mutate'] = async (answering, { together = false } = {}) => {
    const { storage, idempotency } = this.services
    const work = this.#catchUp.noting(async (tx) => (await answering(tx)) ?? { status: 204 })
    const workspaceNo = this.caller?.workspace.no
    const options = workspaceNo === undefined ? {} : { workspaceNo }
    if (this.dryRun) return rehearse(storage, work, options)
    if (this.#idempotent === undefined) return storage.write(work, { ...options, together })
    const render = async (tx: Transaction) => this.#render(await work(tx))
    const rendered = await idempotency.run(this.#idempotent, render)
    return { status: rendered.status, rendered }
  }

  /** Handles the request; every failure becomes an error response. */
  async run(endpoint: AddedEndpoint, params: Record<string, string>): Promise<Response> {
    try {
      await admit(this, endpoint)
      const answer = await this.#catchUp.around(endpoint, () => this.#answer(endpoint, params))
      if (answer.stream === undefined) return await this.#respond(answer)
      const { status, stream, headers } = answer
      return await sendStream(this.request, stream, status, { ...this.headers, ...headers })
    } catch (error) {
      return this.fail(error)
    } finally {
      if (this.#idempotent !== undefined) this.services.idempotency.end(this.#idempotent)
    }
  }

  /** Serves a page, which is the same for all readers of a language. */
  async serve(page: Page, errorPage?: ErrorPage): Promise<Response> {
    try {
      await this.meter.takeAnonymous(this.address)
      return await sendPage(this.request, await page(this), this.headers)
    } catch (error) {
      return this.fail(error, errorPage)
    }
  }

  /** Responds if no endpoint matches; counts towards the limit of the key or the address. */
  async refuse(error: AppError): Promise<Response> {
    try {
      await identify(this, 'any')
    } catch (failure) {
      return this.fail(failure)
    }
    return this.fail(error)
  }

  /** Forwards the request; adds the headers of all responses. */
  async pass(mounted: Mounted): Promise<Response> {
    try {
      assertSameOrigin(this.request, this.baseUrl)
      await this.meter.takeAnonymous(this.address)
      const answer = await mounted(this)
      const headers = new Headers(answer.headers)
      for (const [name, value] of Object.entries(this.headers)) headers.set(name, value)
      return new Response(answer.body, { status: answer.status, headers })
    } catch (error) {
      return this.fail(error)
    }
  }

  /** The response for a failure: `errorPage`, if any, for clients that don't prefer JSON. */
  async fail(error: unknown, errorPage?: ErrorPage): Promise<Response> {
    const failure = asAppError(error, this.request.signal)
    // Services log an outage themselves, once instead of with each request.
    const isLogged = failure === error && failure.code === 'SERVICE_UNAVAILABLE'
    if (failure.status >= 500 && !isLogged) {
      const err = failure.cause ?? failure
      this.services.logger.error({ request_id: this.requestId, err }, 'request failed')
    }
    // Checking a plan's limit takes work, unlike a permission, so that request counts.
    if (failure.status === 403 && failure.code !== 'PLAN_LIMIT_REACHED') await this.meter.refund()
    const challenge = challengeOf(failure.code, this)
    if (challenge !== undefined) this.headers['WWW-Authenticate'] = challenge
    const accept = this.request.headers.get('accept')
    const shown = prefersJson(accept) ? undefined : errorPage?.(failure, this.locale)
    const inJson = () =>
      renderError(failure, {
        locale: this.locale,
        requestId: this.requestId,
        asProblem: prefersProblem(accept),
        baseUrl: this.baseUrl,
      })
    return send(this.request, shown ?? inJson(), { headers: this.headers })
  }

  /** Reads, validates and handles a request, unless an earlier one with the key was answered. */
  async #answer(endpoint: AddedEndpoint, params: Record<string, string>): Promise<Answer> {
    const { request } = this
    const query = queryOf(request.url)
    this.dryRun = endpoint.dryRun === true && query.dry_run === 'true'
    if (this.dryRun) this.headers['Dry-Run'] = 'true'
    const workspaceNo = this.caller?.workspace.no ?? null
    type Part = 'params' | 'query' | 'body'
    const check = (part: Part, input: unknown, named?: typeof byParameter) => () => {
      const schema = endpoint[part]
      if (schema !== undefined) this[part] = validate(schema, input, { named, workspaceNo })
    }
    const checks = [
      check('params', params),
      () => assertKnownParameters(query, endpoint.parameters),
      check('query', query, byParameter),
      () => endpoint.dryRun && validate(DryRunQuery, query, { named: byParameter }),
    ]
    if (endpoint.upload !== undefined) {
      // A file may be large, so faults in other parts are reported first.
      checkAll(...checks)
      const file = await endpoint.upload.receive(this as never)
      this.body = file
      const replay = await this.#claim(endpoint, file.digest)
      if (replay !== undefined) return { status: replay.status, rendered: replay }
    } else {
      const value = endpoint.body === undefined ? undefined : await bodyOf(request, endpoint)
      const replay = await this.#claim(endpoint, value)
      if (replay !== undefined) return { status: replay.status, rendered: replay }
      const changes = value && (await changesIn(this, endpoint, params, value))
      const named = asReadOnly(endpoint.readOnlyMembers)
      checkAll(...checks, check('body', changes, named))
      await this.meter.charge((await endpoint.cost?.(this as never)) ?? 1)
    }
    return (await endpoint.handler(this as never)) ?? { status: 204 }
  }

  /** Reserves the request's `Idempotency-Key`, if there is one; a dry run only checks it. */
  async #claim(endpoint: AnyEndpoint, body: unknown): Promise<Rendered | undefined> {
    const { request, caller, services } = this
    const header = request.headers.get('idempotency-key')
    const isIgnored = endpoint.method === 'get' || endpoint.secret !== undefined || endpoint.safe
    if (header === null || caller === null || isIgnored) return undefined
    const idempotent = {
      workspaceNo: caller.workspace.no,
      key: ownKey(caller, endpoint.scope, idempotencyKeyOf(header)),
      fingerprint: await fingerprintOf(request, body, this.dryRun),
    }
    const replay = await services.idempotency.begin(idempotent, this.dryRun)
    if (replay === undefined && !this.dryRun) this.#idempotent = idempotent
    return replay
  }

  /** The bytes and headers of an endpoint's answer, so that it can be recorded and replayed. */
  #render({ status, body, version, headers }: Answer): Rendered {
    const isDashboard = this.services.sessions !== undefined
    const cacheControl = isDashboard ? undefined : this.endpoint?.cacheControl
    const text = body === undefined ? null : JSON.stringify(body)
    const all: Record<string, string> = {}
    if (text !== null) {
      all['Content-Type'] = 'application/json'
      if (cacheControl !== undefined) all['Cache-Control'] = cacheControl
      if (cacheControl !== undefined) all.ETag = digestTag(text)
      else if (version !== undefined) all.ETag = digestTag(text, version)
    }
    // Otherwise nothing in the answer depends on the language.
    if (this.#locale !== undefined) {
      all['Content-Language'] = this.#locale
      all.Vary = 'Accept-Language'
    }
    Object.assign(all, headers)
    if (isDashboard && all.Location?.startsWith('/api/')) {
      all.Location = DASHBOARD_PREFIX + all.Location
    }
    return { status, text, headers: all }
  }

  async #respond(answer: Answer): Promise<Response> {
    const rendered = answer.rendered ?? this.#render(answer)
    const isSecret = this.endpoint?.secret !== undefined
    const response = await send(this.request, rendered, { headers: this.headers, isSecret })
    for (const cookie of answer.cookies ?? []) response.headers.append('Set-Cookie', cookie)
    return response
  }
}
