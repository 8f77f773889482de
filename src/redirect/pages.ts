import { STATUS_CODES } from 'node:http'
import { domainToUnicode } from 'node:url'
import { ERRORS, type ErrorCode, type ErrorParam } from '../errors/index.ts'
import { formatDateTime, type Locale, negotiateLocale, translate } from '../i18n/index.ts'
import { prefersJson, prefersProblem } from '../base/accept.ts'
import type { Condition } from './condition.ts'
import { pageHeaders, paragraph, renderPage } from './html.ts'

/** Pages for visitors, in their own language, never the workspace's. */
export interface Pages {
  /** A short domain without a slug; its title is the host that was asked for. */
  home(request: Request, requestId: string): Response
  notFound(request: Request, requestId: string): Response
  /** A link that leads nowhere now; `startsAt` in milliseconds since the epoch. */
  closed(
    request: Request,
    requestId: string,
    condition: Exclude<Condition, 'open'>,
    startsAt: number | null,
  ): Response
  /** Asks for the link's password; whoever prefers JSON is told that there is one. */
  password(request: Request, requestId: string, attempt: PasswordAttempt): Response
  /** Says that there is a password, and nothing else. `path`: the link itself. */
  protectedPreview(request: Request, requestId: string, path: string): Response
  /** Says where a link leads. */
  preview(request: Request, requestId: string, target: string, path: string): Response
  unavailable(request: Request, requestId: string): Response
  /** An error in JSON, for those who don't look at pages. */
  error(
    request: Request,
    requestId: string,
    code: ErrorCode,
    params?: Readonly<Record<string, ErrorParam>>,
    headers?: Readonly<Record<string, string>>,
  ): Response
}

/** What came before the form is shown. */
export type PasswordAttempt =
  | { kind: 'none' }
  | { kind: 'wrong' }
  | { kind: 'too_many'; retryAfterSeconds: number }

const CODES = {
  blocked: 'LINK_BLOCKED',
  disabled: 'LINK_DISABLED',
  scheduled: 'LINK_NOT_FOUND',
  expired: 'LINK_EXPIRED',
  exhausted: 'LINK_EXHAUSTED',
} as const satisfies Record<Exclude<Condition, 'open'>, ErrorCode>

const UNAVAILABLE_RETRY_SECONDS = '2'

/**
 * The password's form leads to wherever the link does: browsers hold the redirect after a form
 * against this directive too.
 */
const FORM_ACTION = "'self' http: https:"

/** What the pages depend on. */
export interface PagesOptions {
  /** For tests. */
  pseudoLocales: boolean
  /** Headers of every answer. */
  always: Readonly<Record<string, string>>
  /** The public host, for a request that names none. */
  host: string
}

export function createPages({ pseudoLocales, always, host }: PagesOptions): Pages {
  /** The pages that are the same for everyone with the same language. */
  const rendered = new Map<string, string>()

  function localeOf(request: Request): Locale {
    const { url, headers } = request
    // Without a proper Host header the address is only a path.
    const query = url.includes('lang=')
      ? (URL.parse(url, 'http://localhost')?.searchParams.get('lang') ?? null)
      : null
    return negotiateLocale({ query, acceptLanguage: headers.get('accept-language'), pseudoLocales })
  }

  function respond(
    html: string,
    status: number,
    locale: Locale,
    requestId: string,
    headers: Record<string, string> = {},
  ): Response {
    return new Response(html, {
      status,
      headers: { ...pageHeaders(locale), ...always, 'X-Request-Id': requestId, ...headers },
    })
  }

  function cached(name: string, locale: Locale, render: () => string): string {
    const key = `${name} ${locale}`
    let html = rendered.get(key)
    if (html === undefined) {
      html = render()
      rendered.set(key, html)
    }
    return html
  }

  function simple(
    locale: Locale,
    name: 'not_found' | 'unavailable' | Exclude<Condition, 'open'>,
  ): string {
    return cached(name, locale, () =>
      renderPage(
        locale,
        translate(locale, `page.${name}.title`),
        paragraph(translate(locale, `page.${name}.text`)),
      ),
    )
  }

  const pages: Pages = {
    home(request, requestId) {
      const locale = localeOf(request)
      // Not kept: anyone may ask for any host.
      const asked = URL.parse(request.url)?.host ?? host
      const html = renderPage(locale, asked, paragraph(translate(locale, 'page.home.text')))
      return respond(html, 200, locale, requestId)
    },

    notFound(request, requestId) {
      if (prefersJson(request.headers.get('accept'))) {
        return pages.error(request, requestId, 'LINK_NOT_FOUND')
      }
      const locale = localeOf(request)
      return respond(simple(locale, 'not_found'), 404, locale, requestId)
    },

    closed(request, requestId, condition, startsAt) {
      const code = CODES[condition]
      if (prefersJson(request.headers.get('accept'))) return pages.error(request, requestId, code)
      const locale = localeOf(request)
      const html =
        condition === 'scheduled' && startsAt !== null
          ? scheduled(locale, startsAt)
          : simple(locale, condition)
      return respond(html, ERRORS[code].status, locale, requestId)
    },

    password(request, requestId, attempt) {
      const retry: Record<string, string> = {}
      const seconds = attempt.kind === 'too_many' ? attempt.retryAfterSeconds : null
      if (seconds !== null) retry['Retry-After'] = String(seconds)
      if (prefersJson(request.headers.get('accept'))) {
        return seconds === null
          ? pages.error(request, requestId, 'LINK_PROTECTED')
          : pages.error(request, requestId, 'RATE_LIMITED', { seconds }, retry)
      }
      const locale = localeOf(request)
      const headers = { ...pageHeaders(locale, FORM_ACTION), ...retry }
      const status = { none: 200, wrong: 403, too_many: 429 }[attempt.kind]
      return respond(passwordForm(locale, attempt), status, locale, requestId, headers)
    },

    protectedPreview(request, requestId, path) {
      const locale = localeOf(request)
      const body =
        paragraph(translate(locale, 'page.password.text')) +
        button(path, translate(locale, 'page.password.button'))
      const html = renderPage(locale, translate(locale, 'page.password.title'), body)
      return respond(html, 200, locale, requestId)
    },

    preview(request, requestId, target, path) {
      const locale = localeOf(request)
      return respond(preview(locale, target, path), 200, locale, requestId)
    },

    unavailable(request, requestId) {
      const headers = { 'Retry-After': UNAVAILABLE_RETRY_SECONDS }
      if (prefersJson(request.headers.get('accept'))) {
        return pages.error(request, requestId, 'SERVICE_UNAVAILABLE', {}, headers)
      }
      const locale = localeOf(request)
      return respond(simple(locale, 'unavailable'), 503, locale, requestId, headers)
    },

    error(request, requestId, code, params = {}, headers = {}) {
      const locale = localeOf(request)
      const message = translate(locale, `error.${code}`, params)
      const { status } = ERRORS[code]
      const problem = prefersProblem(request.headers.get('accept'))
      const body = problem
        ? {
            type: 'about:blank',
            title: STATUS_CODES[status],
            status,
            detail: message,
            code,
            request_id: requestId,
          }
        : { error: { code, message, request_id: requestId } }
      return new Response(JSON.stringify(body), {
        status,
        headers: {
          ...pageHeaders(locale),
          ...always,
          'Content-Type': problem ? 'application/problem+json' : 'application/json',
          'X-Request-Id': requestId,
          ...headers,
        },
      })
    },
  }
  return pages
}

function scheduled(locale: Locale, startsAt: number): string {
  const date = formatDateTime(locale, new Date(startsAt))
  return renderPage(
    locale,
    translate(locale, 'page.scheduled.title'),
    paragraph(translate(locale, 'page.scheduled.text_date', { date })),
  )
}

function passwordForm(locale: Locale, attempt: PasswordAttempt): string {
  const text = (key: 'label' | 'button' | 'text' | 'wrong') =>
    translate(locale, `page.password.${key}`)
  let notice = paragraph(text('text'))
  if (attempt.kind === 'wrong') notice = paragraph(text('wrong'), ' class="bad" role="alert"')
  if (attempt.kind === 'too_many') {
    const minutes = Math.max(1, Math.ceil(attempt.retryAfterSeconds / 60))
    const said = translate(locale, 'page.password.too_many', { minutes })
    notice = paragraph(said, ' class="bad" role="alert"')
  }
  const form = `<form method="post">
<label for="password">${Bun.escapeHTML(text('label'))}</label>
<input id="password" name="password" type="password" required autofocus autocomplete="off" maxlength="1024">
<button class="button">${Bun.escapeHTML(text('button'))}</button>
</form>`
  return renderPage(locale, translate(locale, 'page.password.title'), notice + form)
}

function preview(locale: Locale, target: string, path: string): string {
  const text = (key: 'text' | 'button' | 'note') => translate(locale, `page.preview.${key}`)
  const readable = inUnicode(target)
  const address = (url: string) =>
    `<p class="address"><bdi dir="ltr">${Bun.escapeHTML(url)}</bdi></p>`
  const body = `${address(target)}${readable === target ? '' : address(readable)}
${paragraph(`${text('note')} ${text('text')}`)}
${button(path, text('button'))}`
  return renderPage(locale, translate(locale, 'page.preview.title'), body)
}

function button(path: string, label: string): string {
  return `<p><a class="button" rel="nofollow" href="${Bun.escapeHTML(path)}">${Bun.escapeHTML(label)}</a></p>`
}

/** The address with its internationalised host as people read it; the same when it has none. */
function inUnicode(target: string): string {
  if (!target.includes('xn--')) return target
  try {
    const { hostname } = new URL(target)
    const readable = domainToUnicode(hostname)
    return readable === '' ? target : target.replace(hostname, () => readable)
  } catch {
    return target
  }
}
