import { prefersJson, prefersProblem } from '../base/accept.ts'
import { hstsOf } from '../base/headers.ts'
import { DEFAULT_DOMAIN } from '../domains/index.ts'
import { AppError, type AppErrorArgs, ERRORS, renderError } from '../errors/index.ts'
import { type Locale, negotiateLocale, translate } from '../i18n/index.ts'
import { type Brand, inBrand } from './brand.ts'
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
import { redirectHeaders } from './redirect-headers.ts'
import type { Closed } from './resolver.ts'
import { type Social, socialPage } from './social.ts'

const CODES = {
  blocked: 'LINK_BLOCKED',
  disabled: 'LINK_DISABLED',
  scheduled: 'LINK_NOT_FOUND',
  expired: 'LINK_EXPIRED',
  exhausted: 'LINK_EXHAUSTED',
} as const satisfies Record<Closed | 'blocked', string>

const PROTECTED: AppErrorArgs = ['LINK_PROTECTED']
const EMPTY: AppErrorArgs = [
  'VALIDATION_FAILED',
  { details: [{ field: 'report', code: 'REQUIRED' }] },
]

function tooMany({ retryAfterSeconds: seconds }: { retryAfterSeconds: number }): AppErrorArgs {
  return ['RATE_LIMITED', { params: { seconds }, headers: { 'Retry-After': String(seconds) } }]
}

/**
 * The password form may lead wherever the link does: browsers check the redirect after a form
 * against this directive too.
 */
const FORM_ACTION = "'self' http: https:"

const METHODS = ['GET', 'HEAD', 'OPTIONS']

/** What the pages depend on. */
export interface PagesOptions {
  /** For tests. */
  pseudoLocales: boolean
  /** The public address. */
  baseUrl: string
  /** Makes request ids. */
  requestId: () => string
}

/** What of a page differs from every page. */
interface PageOptions {
  status?: number
  headers?: Readonly<Record<string, string>> | undefined
  /** Where its form may lead, by redirects too. */
  formAction?: string
  /** Where a domain of a workspace may lead instead. */
  leadsTo?: LeadsTo
}

/** Addresses that a workspace sets for its domain. */
export type LeadsTo = 'root_url' | 'not_found_url' | 'expired_url'

/** A page that was answered, for domains that have others. */
interface Shown {
  leadsTo: LeadsTo | undefined
  /** The same page in a brand. */
  again(brand: Brand): Response
  /** A redirect in its place. */
  instead(status: number, location: string): Response
}

const shown = new WeakMap<Response, Shown>()

/** The page that a response is; undefined: it is none. */
export function shownBy(response: Response): Shown | undefined {
  return shown.get(response)
}

/**
 * Pages for visitors in their own language, never the workspace's. Clients that prefer JSON get the
 * errors of the API instead.
 */
export class Pages {
  readonly #always: Readonly<Record<string, string>>
  readonly #ofRedirects: ReturnType<typeof redirectHeaders>

  constructor(private readonly options: PagesOptions) {
    this.#always = hstsOf(options.baseUrl)
    this.#ofRedirects = redirectHeaders(this.#always)
  }

  /** HTML clients get a body with a link, for those that show it (RFC 9110 §15.4). */
  redirect(request: Request, requestId: string, status: number, location: string): Response {
    const isPermanent = status === 301 || status === 308
    const isHtml = request.headers.get('accept')?.includes('text/html') === true
    const { html, bare } = this.#ofRedirects[isPermanent ? 'permanent' : 'temporary']
    const headers = isHtml ? html : bare
    headers.set('Location', location)
    headers.set('X-Request-Id', requestId)
    if (!isHtml) return new Response(null, { status, headers })
    const text = Bun.escapeHTML(location)
    return new Response(`<a href="${text}">${text}</a>`, { status, headers })
  }

  /**
   * A short domain without a slug; its title is the host of the request. People who type the
   * address of the instance itself mean its dashboard.
   */
  home(request: Request, domainNo: number): Response {
    const { baseUrl, requestId } = this.options
    if (domainNo === DEFAULT_DOMAIN) {
      return this.redirect(request, requestId(), 302, `${baseUrl}/app`)
    }
    // Not kept: a request may name any host.
    const host = URL.parse(request.url)?.host ?? new URL(baseUrl).host
    const render = (locale: Locale) =>
      renderPage(locale, host, paragraph(translate(locale, 'page.home.text')))
    return this.#page(request, render, { leadsTo: 'root_url' })
  }

  notFound(request: Request): Response {
    const render = (locale: Locale) => simplePage(locale, 'not_found')
    return this.#pageOr(request, ['LINK_NOT_FOUND'], render, { leadsTo: 'not_found_url' })
  }

  /** A link that leads nowhere now; `startsAt` in milliseconds since the epoch. */
  closed(request: Request, condition: Closed | 'blocked', startsAt: number | null): Response {
    const render = (locale: Locale) =>
      condition === 'scheduled' && startsAt !== null
        ? scheduledPage(locale, startsAt)
        : simplePage(locale, condition)
    const isOver = condition !== 'scheduled' && condition !== 'blocked'
    return this.#pageOr(request, [CODES[condition]], render, {
      ...(isOver && { leadsTo: 'expired_url' }),
    })
  }

  /** Asks for the link's password. */
  password(request: Request, attempt: PasswordAttempt): Response {
    const error = attempt.kind === 'too_many' ? tooMany(attempt) : PROTECTED
    const status = { none: 200, wrong: 403, too_many: 429 }[attempt.kind]
    const render = (locale: Locale) => passwordPage(locale, attempt)
    return this.#pageOr(request, error, render, { status, formAction: FORM_ACTION })
  }

  /** Says that there is a password, and nothing else. `path`: the link itself. */
  protectedPreview(request: Request, path: string): Response {
    const render = (locale: Locale) => protectedPage(locale, path)
    return this.#pageOr(request, PROTECTED, render, { status: 200 })
  }

  /** Says where a link leads; `target` null: that it isn't shown. */
  preview(request: Request, target: string | null, path: string): Response {
    if (prefersJson(request.headers.get('accept'))) {
      return this.#json(request, { destination_url: target })
    }
    return this.#page(request, (locale) => previewPage(locale, target, path))
  }

  /** What a service that unfurls the link shows of it; `social` as it is stored. */
  social(request: Request, social: string): Response {
    return this.#bare(request, (locale) => socialPage(locale, JSON.parse(social) as Social))
  }

  /** Answers a report, which has been kept or not. */
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
      return renderPage(locale, translate(locale, 'page.limited.title'), paragraph(text))
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

  /** A page with the status and headers of an error, or for clients that prefer JSON that error. */
  #pageOr(
    request: Request,
    error: AppErrorArgs,
    render: (locale: Locale) => string,
    options?: PageOptions,
  ): Response {
    if (prefersJson(request.headers.get('accept'))) return this.error(request, ...error)
    const { status } = ERRORS[error[0]]
    return this.#page(request, render, { status, headers: error[1]?.headers, ...options })
  }

  #page(request: Request, render: (locale: Locale) => string, options: PageOptions = {}): Response {
    const page = this.#bare(request, render, options)
    shown.set(page, {
      leadsTo: options.leadsTo,
      again: (brand) =>
        this.#bare(request, (locale) => inBrand(render(locale), brand), { ...options, brand }),
      instead: (status, location) =>
        this.redirect(request, this.options.requestId(), status, location),
    })
    return page
  }

  /** What has no frame, or has one already. */
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

  #json(request: Request, data: object): Response {
    const headers = { 'Content-Type': 'application/json' }
    return this.#bare(request, () => JSON.stringify({ data }), { headers })
  }
}

/** A page that is the same for everyone with the same language. */
function simplePage(
  locale: Locale,
  name: 'not_found' | 'unavailable' | 'blocked' | Closed,
): string {
  const title = translate(locale, `page.${name}.title`)
  return renderPage(locale, title, paragraph(translate(locale, `page.${name}.text`)))
}
