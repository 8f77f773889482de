/** A failing field, with the API's message. */
export interface ErrorDetail {
  field: string
  code: string
  message: string
}

/** An error response; `message` is the API's, in the person's language. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  constructor(
    /** The HTTP status; 0: no response. */
    readonly status: number,
    readonly code: string,
    message: string,
    readonly details: readonly ErrorDetail[] = [],
    /** Free slugs, with SLUG_TAKEN. */
    readonly suggestions: readonly string[] = [],
    readonly requestId: string | null = null,
    /** When a retry may succeed; from `Retry-After`. */
    readonly retryAfterSeconds: number | null = null,
  ) {
    super(message)
  }

  /** The message of a field, for a form. */
  field(name: string): string | undefined {
    return this.details.find(({ field }) => field === name)?.message
  }
}

interface Body {
  error?: {
    code?: string
    message?: string
    request_id?: string
    details?: ErrorDetail[]
    suggestions?: string[]
  }
  /** better-auth's errors are at the top level. */
  code?: string
  message?: string
}

/** The error of a response. */
export function errorOf(response: Response, body: unknown): ApiError {
  const top = (typeof body === 'object' && body !== null ? body : {}) as Body
  const error = top.error ?? { code: top.code, message: top.message }
  const retryAfter = Number(response.headers.get('Retry-After'))
  return new ApiError(
    response.status,
    error.code ?? `HTTP_${response.status}`,
    error.message ?? '',
    top.error?.details,
    top.error?.suggestions,
    top.error?.request_id ?? response.headers.get('X-Request-Id'),
    retryAfter > 0 ? retryAfter : null,
  )
}
