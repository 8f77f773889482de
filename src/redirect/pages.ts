import { prefersJson, prefersProblem } from '../base/accept.ts'
import { hstsOf } from '../base/headers.ts'
import { AppError, type AppErrorArgs, ERRORS, renderError } from '../errors/index.ts'
import { type Locale, negotiateLocale, translate } from '../i18n/index.ts'
import {
  type PasswordAttempt,
  pageHeaders,
  paragraph,
  passwordPage,
  previewPage,
  protectedPage,
  type ReportResult,
  renderPage,
  reportPage,
  scheduledPage,
} from './html.ts'
import type { Closed } from './resolver.ts'

const CODES = {
  blocked: 'LINK_BLOCKED',
  disabled: 'LINK_DISABLED',
  scheduled: 'LINK_NOT_FOUND',
  expired: 'LINK_EXPIRED',
  exhausted: 'LINK_EXHAUSTED',
} as const satisfies Record<Closed | 'blocked', string>

const UNAVAILABLE_RETRY = { 'Retry-After': '2' }

/**
 * The password form may lead wherever the link does: browsers check the redirect after a form
 * against this directive too.
 */
const FORM_ACTION = "'self' http: https:"

const METHODS = ['GET', 'HEAD', 'OPTIONS']
const TEMPORARY = { 'Cache-Control': 'private, no-store' } as const
/** Kept for a while, so it names what the body depends on. */
const PERMANENT = { 'Cache-Control': 'private, max-age=90', Vary: 'Accept' } as const

/** What the pages depend on. */
export interface PagesOptions {
  /** For tests. */
  pseudoLocales: boolean
  /** The public address. */
  baseUrl: string
  /** Makes request ids. */
  requestId: () => string
}

/** The headers and status of a page that differ from those of every page. */
interface PageOptions {
  status?: number
  headers?: Readonly<Record<string, string>>
}

/**
 * Pages for visitors in their own language, never the workspace's. Clients that prefer JSON get the
 * errors of the API instead.
 */
export class Pages {
  /** Pages that are the same for everyone with the same language. */
  readonly #rendered = new Map<string, string>()

  readonly #always: Readonly<Record<string, string>>

  constructor(private readonly options: PagesOptions) {
    this.#always = hstsOf(options.baseUrl)
  }

  /** HTML clients get a body with a link, for those that show it (RFC 9110 §15.4). */
  redirect(request: Request, requestId: string, status: number, location: string): Response {
    const headers: Record<string, string> = {
      Location: location,
      'X-Request-Id': requestId,
      ...(status === 301 || status === 308 ? PERMANENT : TEMPORARY),
      ...this.#always,
    }
    if (!request.headers.get('accept')?.includes('text/html')) {
      return new Response(null, { status, headers })
    }
    const text = Bun.escapeHTML(location)
    headers['Content-Type'] = 'text/html; charset=utf-8'
    headers['X-Content-Type-Options'] = 'nosniff'
    return new Response(`<a href="${text}">${text}</a>`, { status, headers })
  }

  /** A short domain without a slug; its title is the host of the request. */
  home(request: Request): Response {
    // Not kept: a request may name any host.
    const host = URL.parse(request.url)?.host ?? new URL(this.options.baseUrl).host
    return this.#page(request, (locale) =>
      renderPage(locale, host, paragraph(translate(locale, 'page.home.text'))),
    )
  }

  notFound(request: Request): Response {
    if (prefersJson(request.headers.get('accept'))) return this.error(request, 'LINK_NOT_FOUND')
    return this.#page(request, (locale) => this.#simple(locale, 'not_found'), { status: 404 })
  }

  /** A link that leads nowhere now; `startsAt` in milliseconds since the epoch. */
  closed(request: Request, condition: Closed | 'blocked', startsAt: number | null): Response {
    const code = CODES[condition]
    if (prefersJson(request.headers.get('accept'))) return this.error(request, code)
    const render = (locale: Locale) =>
      condition === 'scheduled' && startsAt !== null
        ? scheduledPage(locale, startsAt)
        : this.#simple(locale, condition)
    return this.#page(request, render, { status: ERRORS[code].status })
  }

  /** Asks for the link's password; clients that prefer JSON get an error. */
  password(request: Request, attempt: PasswordAttempt): Response {
    const seconds = attempt.kind === 'too_many' ? attempt.retryAfterSeconds : null
    const retry: Record<string, string> = seconds === null ? {} : { 'Retry-After': `${seconds}` }
    if (prefersJson(request.headers.get('accept'))) {
      return seconds === null
        ? this.error(request, 'LINK_PROTECTED')
        : this.error(request, 'RATE_LIMITED', { params: { seconds }, headers: retry })
    }
    const status = { none: 200, wrong: 403, too_many: 429 }[attempt.kind]
    const render = (locale: Locale) => passwordPage(locale, attempt)
    return this.#page(request, render, { status, headers: retry }, FORM_ACTION)
  }

  /** Says that there is a password, and nothing else. `path`: the link itself. */
  protectedPreview(request: Request, path: string): Response {
    if (prefersJson(request.headers.get('accept'))) return this.error(request, 'LINK_PROTECTED')
    return this.#page(request, (locale) => protectedPage(locale, path))
  }

  /** Says where a link leads; `target` null: that it isn't shown. */
  preview(request: Request, target: string | null, path: string): Response {
    if (prefersJson(request.headers.get('accept'))) {
      return this.#json(request, { destination_url: target })
    }
    return this.#page(request, (locale) => previewPage(locale, target, path))
  }

  /** Answers a report, which has been kept or not. */
  reported(request: Request, result: ReportResult): Response {
    const seconds = result.kind === 'too_many' ? result.retryAfterSeconds : null
    const retry: Record<string, string> = seconds === null ? {} : { 'Retry-After': `${seconds}` }
    if (prefersJson(request.headers.get('accept'))) {
      if (result.kind === 'sent') return this.#json(request, { reported: true })
      return seconds === null
        ? this.error(request, 'VALIDATION_FAILED', {
            details: [{ field: 'report', code: 'REQUIRED' }],
          })
        : this.error(request, 'RATE_LIMITED', { params: { seconds }, headers: retry })
    }
    const status = { sent: 200, empty: 422, too_many: 429 }[result.kind]
    return this.#page(request, (locale) => reportPage(locale, result), { status, headers: retry })
  }

  /** Too many visits of one address. */
  limited(request: Request, seconds: number): Response {
    const headers = { 'Retry-After': String(seconds) }
    if (prefersJson(request.headers.get('accept'))) {
      return this.error(request, 'RATE_LIMITED', { params: { seconds }, headers })
    }
    const render = (locale: Locale) => {
      const text = translate(locale, 'error.RATE_LIMITED', { seconds })
      return renderPage(locale, translate(locale, 'page.limited.title'), paragraph(text))
    }
    return this.#page(request, render, { status: 429, headers })
  }

  unavailable(request: Request): Response {
    const headers = UNAVAILABLE_RETRY
    if (prefersJson(request.headers.get('accept'))) {
      return this.error(request, 'SERVICE_UNAVAILABLE', { headers })
    }
    const render = (locale: Locale) => this.#simple(locale, 'unavailable')
    return this.#page(request, render, { status: 503, headers })
  }

  notAllowed(request: Request): Response {
    const headers = { Allow: METHODS.join(', ') }
    return this.error(request, 'METHOD_NOT_ALLOWED', { params: { allowed: METHODS }, headers })
  }

  /** OPTIONS, and methods that no link answers. */
  otherMethod(request: Request): Response {
    if (request.method !== 'OPTIONS') return this.notAllowed(request)
    const requestId = this.options.requestId()
    const headers = { Allow: METHODS.join(', '), 'X-Request-Id': requestId, ...this.#always }
    return new Response(null, { status: 204, headers })
  }

  /** An error in JSON, for clients that don't show pages. */
  error(request: Request, ...args: AppErrorArgs): Response {
    const locale = this.#localeOf(request)
    const { requestId, baseUrl } = this.options
    const id = requestId()
    const { text, status, headers } = renderError(new AppError(...args), {
      locale,
      requestId: id,
      asProblem: prefersProblem(request.headers.get('accept')),
      baseUrl,
    })
    return new Response(text, {
      status,
      headers: { ...pageHeaders(locale), ...this.#always, 'X-Request-Id': id, ...headers },
    })
  }

  #localeOf({ url, headers }: Request): Locale {
    // Without a proper Host header the address is only a path.
    const query = url.includes('lang=')
      ? (URL.parse(url, 'http://localhost')?.searchParams.get('lang') ?? null)
      : null
    return negotiateLocale({
      query,
      acceptLanguage: headers.get('accept-language'),
      pseudoLocales: this.options.pseudoLocales,
    })
  }

  #page(
    request: Request,
    render: (locale: Locale) => string,
    { status = 200, headers = {} }: PageOptions = {},
    formAction?: string,
  ): Response {
    const locale = this.#localeOf(request)
    const { requestId } = this.options
    const own = { ...pageHeaders(locale, formAction), ...this.#always, 'X-Request-Id': requestId() }
    return new Response(render(locale), { status, headers: { ...own, ...headers } })
  }

  #json(request: Request, data: object): Response {
    const headers = { 'Content-Type': 'application/json' }
    return this.#page(request, () => JSON.stringify({ data }), { headers })
  }

  #simple(locale: Locale, name: 'not_found' | 'unavailable' | 'blocked' | Closed): string {
    const key = `${name} ${locale}`
    let html = this.#rendered.get(key)
    if (html === undefined) {
      const title = translate(locale, `page.${name}.title`)
      html = renderPage(locale, title, paragraph(translate(locale, `page.${name}.text`)))
      this.#rendered.set(key, html)
    }
    return html
  }
}
