import { type ErrorPage, type Page, pathOf } from '../../http/index.ts'
import { describeError, type ErrorCode, type Rendered } from '../../lib/errors/index.ts'
import { type Locale, type MessageKey, translate } from '../../lib/i18n/index.ts'
import { pageHeaders, paragraph, renderPage } from '../../redirect/index.ts'
import type { ShareViews } from './view.ts'

/** Renders the page that loads shared statistics; part of the dashboard's build. */
export type SharedShell = (request: Request, locale: Locale) => Rendered

/** Any site may embed these pages. */
const FRAMED = ["frame-ancestors 'none'", 'frame-ancestors *'] as const

const TITLES: Partial<Record<ErrorCode, MessageKey>> = {
  SHARE_NOT_FOUND: 'page.share_not_found.title',
  SHARE_EXPIRED: 'page.share_ended.title',
  RATE_LIMITED: 'page.limited.title',
  SERVICE_UNAVAILABLE: 'page.unavailable.title',
}

/** Serves `/shared/{token}` to browsers. */
export function createSharedPage(views: Pick<ShareViews, 'find'>, shell: SharedShell): Page {
  return async ({ request, locale }) => {
    await views.find(pathOf(request.url).split('/').at(2) ?? '')
    return shell(request, locale)
  }
}

/** The error page of `/shared/{token}`. */
export const sharedErrorPage: ErrorPage = (error, locale) => {
  const title = TITLES[error.code]
  if (title === undefined) return undefined
  const headers = pageHeaders(locale)
  const policy = headers['Content-Security-Policy']?.replace(...FRAMED) ?? ''
  return {
    status: error.status,
    text: renderPage(locale, {
      title: translate(locale, title),
      body: paragraph(describeError(error, locale).message),
    }),
    headers: { ...headers, 'Content-Security-Policy': policy, ...error.headers },
  }
}
