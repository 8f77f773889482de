import { STATUS_CODES } from 'node:http'
import { type Locale, translate } from '../i18n/index.ts'
import type { AppError, ErrorDetail } from './app-error.ts'
import type { ErrorCode } from './catalogue.ts'

/** A rendered response. */
export interface Rendered {
  status: number
  /** Null: no body. */
  text: string | null
  headers: Readonly<Record<string, string>>
}

/** What rendering an error depends on. */
interface ErrorView {
  locale: Locale
  requestId: string
  /** RFC 9457 instead of the usual shape. */
  asProblem: boolean
  /** The public address of this instance. */
  baseUrl: string
}

/** The content of an error without its status. */
export type ErrorParts = Pick<AppError, 'code' | 'params' | 'details' | 'suggestions'> &
  Partial<Pick<AppError, 'oldest'>>

/** The content of an error in a language. */
export function describeError(
  { code, params, details, suggestions, oldest }: ErrorParts,
  locale: Locale,
) {
  return {
    code,
    message: translate(locale, `error.${code}`, params),
    ...(details && { details: details.map((detail) => renderDetail(detail, locale)) }),
    ...(suggestions && { suggestions }),
    ...(oldest !== undefined && { oldest }),
  }
}

/** The response for an error. */
export function renderError(error: AppError, view: ErrorView): Rendered {
  const { status } = error
  const { code, message, ...more } = describeError(error, view.locale)
  const help = helpOf(code, view.baseUrl)
  const body = view.asProblem
    ? {
        type: help,
        title: STATUS_CODES[status],
        status,
        detail: message,
        code,
        request_id: view.requestId,
        ...more,
      }
    : { error: { code, message, request_id: view.requestId, ...more } }
  return {
    status,
    text: JSON.stringify(body),
    headers: {
      'Content-Type': view.asProblem ? 'application/problem+json' : 'application/json',
      'Content-Language': view.locale,
      Vary: 'Accept-Language, Accept',
      Link: `<${help}>; rel="help"`,
      ...error.headers,
    },
  }
}

/** The URL of the page that explains a code. */
function helpOf(code: ErrorCode, baseUrl: string): string {
  return `${baseUrl}/docs/errors#${code}`
}

function renderDetail({ field, code, params }: ErrorDetail, locale: Locale) {
  return { field, code, message: translate(locale, `detail.${code}`, params) }
}
