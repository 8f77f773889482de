import { AppError, type Rendered } from '../errors/index.ts'
import type { Page } from '../http/index.ts'
import { type Locale, translate } from '../i18n/index.ts'
import { pageHeaders, paragraph, renderPage } from '../redirect/index.ts'
import type { ShareViews } from './view.ts'

/** Draws the page that asks for the statistics by itself; the dashboard's build has it. */
export type SharedShell = (request: Request, locale: Locale) => Rendered

/** Anybody may put these pages into theirs. */
const FRAMED = ["frame-ancestors 'none'", 'frame-ancestors *'] as const

const TITLES = {
  SHARE_NOT_FOUND: 'page.share_not_found.title',
  SHARE_EXPIRED: 'page.share_ended.title',
} as const

/** What `/shared/{token}` answers to who looks at pages. */
export function createSharedPage(views: Pick<ShareViews, 'find'>, shell: SharedShell): Page {
  return async ({ request, locale }) => {
    const token = new URL(request.url).pathname.split('/').at(2) ?? ''
    try {
      await views.find(token)
      return shell(request, locale)
    } catch (error) {
      if (!(error instanceof AppError) || !(error.code in TITLES)) throw error
      return refusal(error.code as keyof typeof TITLES, error.status, locale)
    }
  }
}

function refusal(code: keyof typeof TITLES, status: number, locale: Locale): Rendered {
  const text = paragraph(translate(locale, `error.${code}`))
  const headers = pageHeaders(locale)
  const policy = headers['Content-Security-Policy']?.replace(...FRAMED) ?? ''
  return {
    status,
    text: renderPage(locale, translate(locale, TITLES[code]), text),
    headers: { ...headers, 'Content-Security-Policy': policy },
  }
}
