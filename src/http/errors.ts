import { STATUS_CODES } from 'node:http'
import { AppError, type ErrorCode, type ErrorDetail } from '../errors/index.ts'
import { type Locale, translate } from '../i18n/index.ts'
import { StorageUnavailable } from '../storage/index.ts'

/** An answer in the bytes that leave: what is sent, recorded and replayed. */
export interface Rendered {
  status: number
  /** Null: no body. */
  text: string | null
  headers: Readonly<Record<string, string>>
}

/** Whom an error is rendered for. */
export interface ErrorView {
  locale: Locale
  requestId: string
  /** RFC 9457 instead of the usual shape. */
  asProblem: boolean
  /** The public address of this instance. */
  baseUrl: string
}

/** How long a client is asked to wait for a storage that is away. */
const UNAVAILABLE_RETRY_SECONDS = 5

/** What the client is told of a failure. Whatever isn't meant for it is INTERNAL_ERROR. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error
  if (error instanceof StorageUnavailable) {
    return new AppError('SERVICE_UNAVAILABLE', {
      headers: { 'Retry-After': String(UNAVAILABLE_RETRY_SECONDS) },
      cause: error,
    })
  }
  return new AppError('INTERNAL_ERROR', { cause: error })
}

/** The only place where an error becomes text. */
export function renderError(error: AppError, view: ErrorView): Rendered {
  const message = translate(view.locale, `error.${error.code}`, error.params)
  const details = error.details?.map((detail) => renderDetail(detail, view.locale))
  const { suggestions } = error
  const help = helpOf(error.code, view.baseUrl)
  const body = view.asProblem
    ? {
        type: help,
        title: STATUS_CODES[error.status],
        status: error.status,
        detail: message,
        code: error.code,
        request_id: view.requestId,
        ...(details && { details }),
        ...(suggestions && { suggestions }),
      }
    : {
        error: {
          code: error.code,
          message,
          request_id: view.requestId,
          ...(details && { details }),
          ...(suggestions && { suggestions }),
        },
      }
  return {
    status: error.status,
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

/** Where a code is explained. */
export function helpOf(code: ErrorCode, baseUrl: string): string {
  return `${baseUrl}/docs/errors#${code}`
}

function renderDetail({ field, code, params }: ErrorDetail, locale: Locale) {
  return { field, code, message: translate(locale, `detail.${code}`, params) }
}
