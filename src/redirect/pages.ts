import { prefersJson, prefersProblem } from '../lib/base/accept.ts'
import { hstsOf } from '../lib/base/headers.ts'
import { AppError, type AppErrorArgs, ERRORS, renderError } from '../lib/errors/index.ts'
import { type Locale, negotiateLocale, translate } from '../lib/i18n/index.ts'
import { DEFAULT_DOMAIN } from '../model/domains/index.ts'
import type { Brand } from './brand.ts'
import {
  type Page,
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
import { redirectHeaders } from './redirect-headers.ts'
import type { ClosedReason } from './resolver.ts'
import { type Social, socialPage } from './social.ts'

const CODES = {
  blocked: 'LINK_BLOCKED',
  disabled: 'LINK_DISABLED',
  scheduled: 'LINK_NOT_FOUND',
  expired: 'LINK_EXPIRED',
  exhausted: 'LINK_EXHAUSTED',
} as const satisfies Record<ClosedReason | 'blocked', string>

const PROTECTED: AppErrorArgs = ['LINK_PROTECTED']
const EMPTY: AppErrorArgs = [
  'VALIDATION_FAILED',
  { details: [{ field: 'report', code: 'REQUIRED' }] },
]

function tooMany({ retryAfterSeconds: seconds }: { retryAfterSeconds: number }): AppErrorArgs {
  return ['RATE_LIMITED', { params: { seconds }, headers: { 'Retry-After': String(seconds) } }]
}

/**
 * The password form may lead wherever the link does, because browsers check redirects of a form
 * against this directive too.
 */
const FORM_ACTION = "'self' http: https:"

const METHODS = ['GET', 'HEAD', 'OPTIONS']

/** Dependencies of the pages. */
interface PagesOptions {
  /** For tests. */
  pseudoLocales: boolean
  /** The public URL. */
  baseUrl: string
  /** Generates request ids. */
  requestId: () => string
}

/** The variable parts of a page. */
interface PageOptions {
  status?: number
  headers?: Readonly<Record<string, string>> | undefined
  /** Where its form may lead, also by redirects. */
  formAction?: string
  /** Which URL a workspace's domain may redirect to instead. */
  domainUrl?: DomainUrl
}

/** URLs that a workspace sets for its domain. */
export type DomainUrl = 'root_url' | 'not_found_url' | 'expired_url'

/** A rendered page, for domains that replace it. */
interface RenderedPage {
  domainUrl: DomainUrl | undefined
  /** The same page in a brand. */
  inBrand(brand: Brand): Response
  /** A redirect instead of it, to a page of the domain's workspace. */
  instead(status: number, location: string): Response
}

const renderedPages = new WeakMap<Response, RenderedPage>()

/** The page of a response; undefined: it isn't a page. */
export function renderedPageOf(response: Response): RenderedPage | undefined {
  return renderedPages.get(response)
}

/** Pages in the visitor's language; clients that prefer JSON get the API's errors instead. */
export class Pages {
  readonly #always: Readonly<Record<string, string>>
  readonly #ofRedirects: ReturnType<typeof redirectHeaders>

  constructor(private readonly options: PagesOptions) {
    this.#always = hstsOf(options.baseUrl)
    this.#ofRedirects = redirectHeaders(this.#always)
  }

  /** HTML clients get a body with a link (RFC 9110 §15.4). */
  redirect(
    request: Request,
    requestId: string,
    status: number,
    location: string,
    isIndexed = false,
  ): Response {
    const kinds = this.#ofRedirects[isIndexed ? 'indexed' : 'hidden']
    const isPermanent = status === 301 || status === 308
    const isHtml = request.headers.get('accept')?.includes('text/html') === true
    const { html, bare } = kinds[isPermanent ? 'permanent' : 'temporary']
    const headers = isHtml ? html : bare
    headers.set('Location', location)
    headers.set('X-Request-Id', requestId)
    if (!isHtml) return new Response(null, { status, headers })
    const text = Bun.escapeHTML(location)
    return new Response(`<a href="${text}">${text}</a>`, { status, headers })
  }

  /**
   * The root of a short domain; its title is the request's host. The root of the instance's own
   * host redirects to the dashboard.
   */
  home(request: Request, domainNo: number): Response {
    const { baseUrl, requestId } = this.options
    if (domainNo === DEFAULT_DOMAIN) {
      return this.redirect(request, requestId(), 302, `${baseUrl}/app`)
    }
    // Not cached: a request may have any host.
    const host = URL.parse(request.url)?.host ?? new URL(baseUrl).host
    const render = (locale: Locale) => ({
      title: host,
      body: paragraph(translate(locale, 'page.home.text')),
    })
    return this.#page(request, render, { domainUrl: 'root_url' })
  }

  notFound(request: Request): Response {
    const render = (locale: Locale) => simplePage(locale, 'not_found')
    return this.#pageOr(request, ['LINK_NOT_FOUND'], render, { domainUrl: 'not_found_url' })
  }

  /** A link that doesn't redirect now; `startsAt` in milliseconds since the epoch. */
  closed(request: Request, condition: ClosedReason | 'blocked', startsAt: number | null): Response {
    const render = (locale: Locale) =>
      condition === 'scheduled' && startsAt !== null
        ? scheduledPage(locale, startsAt)
        : simplePage(locale, condition)
    const isOver = condition !== 'scheduled' && condition !== 'blocked'
    return this.#pageOr(request, [CODES[condition]], render, {
      ...(isOver && { domainUrl: 'expired_url' }),
    })
  }

  /** The password form. */
  password(request: Request, attempt: PasswordAttempt): Response {
    const error = attempt.kind === 'too_many' ? tooMany(attempt) : PROTECTED
    const status = { none: 200, wrong: 403, too_many: 429 }[attempt.kind]
    const render = (locale: Locale) => passwordPage(locale, attempt)
    return this.#pageOr(request, error, render, { status, formAction: FORM_ACTION })
  }

  /** Shows only that there is a password. `path`: the link itself. */
  protectedPreview(request: Request, path: string): Response {
    const render = (locale: Locale) => protectedPage(locale, path)
    return this.#pageOr(request, PROTECTED, render, { status: 200 })
  }

  /** Shows the destination; `target` null: that it isn't shown. */
  preview(request: Request, target: string | null, path: string): Response {
    if (prefersJson(request.headers.get('accept'))) {
      return this.#json(request, { destination_url: target })
    }
    return this.#page(request, (locale) => previewPage(locale, target, path))
  }

  /** The link preview for services that unfurl it; `social` in its stored form. */
  social(request: Request, social: string): Response {
    return this.#bare(request, (locale) => socialPage(locale, JSON.parse(social) as Social))
  }

  /** The response to a report, stored or not. */
  reported(request: Request, result: ReportResult): Response {
    const render = (locale: Locale) => reportPage(locale, result)
    if (result.kind === 'sent') {
      return prefersJson(request.headers.get('accept'))
        ? this.#json(request, { reported: true })
        : this.#page(request, render)
    }
    return this.#pageOr(request, result.kind === 'too_many' ? tooMany(result) : EMPTY, render)
  }

  /** Too many visits of one address. */
  limited(request: Request, retryAfterSeconds: number): Response {
    return this.#pageOr(request, tooMany({ retryAfterSeconds }), (locale) => {
      const text = translate(locale, 'error.RATE_LIMITED', { seconds: retryAfterSeconds })
      return { title: translate(locale, 'page.limited.title'), body: paragraph(text) }
    })
  }

  unavailable(request: Request): Response {
    const error: AppErrorArgs = ['SERVICE_UNAVAILABLE', { headers: { 'Retry-After': '2' } }]
    return this.#pageOr(request, error, (locale) => simplePage(locale, 'unavailable'))
  }

  notAllowed(request: Request): Response {
    const headers = { Allow: METHODS.join(', ') }
    return this.error(request, 'METHOD_NOT_ALLOWED', { params: { allowed: METHODS }, headers })
  }

  /** OPTIONS, and unsupported methods. */
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
    // Without a valid Host header the URL is only a path.
    const query = url.includes('lang=')
      ? (URL.parse(url, 'http://localhost')?.searchParams.get('lang') ?? null)
      : null
    return negotiateLocale({
      query,
      acceptLanguage: headers.get('accept-language'),
      pseudoLocales: this.options.pseudoLocales,
    })
  }

  /** A page with an error's status and headers, or the error itself if the client prefers JSON. */
  #pageOr(
    request: Request,
    error: AppErrorArgs,
    render: (locale: Locale) => Page,
    options?: PageOptions,
  ): Response {
    if (prefersJson(request.headers.get('accept'))) return this.error(request, ...error)
    const { status } = ERRORS[error[0]]
    return this.#page(request, render, { status, headers: error[1]?.headers, ...options })
  }

  #page(request: Request, render: (locale: Locale) => Page, options: PageOptions = {}): Response {
    const inBrand = (brand?: Brand) => {
      const whole = (locale: Locale) => renderPage(locale, render(locale), brand)
      return this.#bare(request, whole, brand ? { ...options, brand } : options)
    }
    const page = inBrand()
    renderedPages.set(page, {
      domainUrl: options.domainUrl,
      inBrand,
      instead: (status, location) =>
        this.redirect(request, this.options.requestId(), status, location, true),
    })
    return page
  }

  /** A page without frame, or that has one already. */
  #bare(
    request: Request,
    render: (locale: Locale) => string,
    { status = 200, headers, formAction, brand }: PageOptions & { brand?: Brand } = {},
  ): Response {
    const locale = this.#localeOf(request)
    const own = { ...pageHeaders(locale, formAction, brand), ...this.#always }
    const all = { ...own, 'X-Request-Id': this.options.requestId(), ...headers }
    return new Response(render(locale), { status, headers: all })
  }

  #json(request: Request, body: object): Response {
    const headers = { 'Content-Type': 'application/json' }
    return this.#bare(request, () => JSON.stringify(body), { headers })
  }
}

/** A page that is the same for everyone with the same language. */
function simplePage(
  locale: Locale,
  name: 'not_found' | 'unavailable' | 'blocked' | ClosedReason,
): Page {
  return {
    title: translate(locale, `page.${name}.title`),
    body: paragraph(translate(locale, `page.${name}.text`)),
  }
}
