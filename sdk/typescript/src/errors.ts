/** A field that failed, of `details`. */
export interface ErrorDetail {
  /** The field's path, `tags[3]` for instance; or the name of a parameter or header. */
  field: string
  code: string
  message: string
}

/** What is known about a failed request. */
export interface ErrorFields {
  /** Stable: `LINK_NOT_FOUND` for instance. Without a response of Slugline: `HTTP_{status}`. */
  code: string
  message: string
  /** The status of the response; 0: there was none. */
  status: number
  /** What the operator finds in the log. */
  requestId?: string | undefined
  details?: ErrorDetail[] | undefined
  suggestions?: string[] | undefined
  oldest?: string | null | undefined
  /** From `Retry-After`. */
  retryAfterSeconds?: number | undefined
}

/** A failed request. Catch a subclass, or look at `code`. */
export class SluglineError extends Error {
  override readonly name: string = 'SluglineError'
  readonly code: string
  readonly status: number
  readonly requestId: string | undefined
  /** Every field that failed; empty if none was to blame. */
  readonly details: readonly ErrorDetail[]
  readonly retryAfterSeconds: number | undefined
  constructor(fields: ErrorFields, options?: { cause?: unknown }) {
    super(fields.message, options)
    this.code = fields.code
    this.status = fields.status
    this.requestId = fields.requestId
    this.details = fields.details ?? []
    this.retryAfterSeconds = fields.retryAfterSeconds
  }
}

/** There was no response, or it broke off; `cause` says why. */
export class ConnectionError extends SluglineError {
  override readonly name = 'ConnectionError'
  constructor(baseUrl: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    const message = `${baseUrl} does not answer: ${reason}`
    super({ code: 'CONNECTION_FAILED', message, status: 0 }, { cause })
  }
}

/** The instance has another address. Redirects are not followed: the key is for `baseUrl` only. */
export class RedirectError extends SluglineError {
  override readonly name = 'RedirectError'
}

/** An id that a path can't have: the request would be another one. */
export class InvalidIdError extends TypeError {
  override readonly name = 'InvalidIdError'
  constructor(id: string) {
    super(`"${id}" is not an id.`)
  }
}

/** 400: a malformed header, cursor or body. */
export class BadRequestError extends SluglineError {
  override readonly name: string = 'BadRequestError'
}
/** 401: no API key, or an invalid one. */
export class AuthenticationError extends SluglineError {
  override readonly name: string = 'AuthenticationError'
}
/** 403: the key may not do this. */
export class PermissionError extends SluglineError {
  override readonly name: string = 'PermissionError'
}
/** 403 PLAN_LIMIT_REACHED. */
export class PlanLimitError extends PermissionError {
  override readonly name = 'PlanLimitError'
}
/** 404: it doesn't exist, or the key may not see it. */
export class NotFoundError extends SluglineError {
  override readonly name: string = 'NotFoundError'
}
/** 409: a name is taken, or the state forbids it. */
export class ConflictError extends SluglineError {
  override readonly name: string = 'ConflictError'
}
/** 409 SLUG_TAKEN, with free slugs. */
export class SlugTakenError extends ConflictError {
  override readonly name = 'SlugTakenError'
  readonly suggestions: readonly string[]
  constructor(fields: ErrorFields) {
    super(fields)
    this.suggestions = fields.suggestions ?? []
  }
}
/** 409 EVENTS_OTHER_FEED: the instance was restored or moved. Read the workspace again. */
export class EventsOtherFeedError extends ConflictError {
  override readonly name = 'EventsOtherFeedError'
}
/** 410: it has ended. */
export class GoneError extends SluglineError {
  override readonly name: string = 'GoneError'
}
/** 410 EVENTS_EXPIRED: events after the given one are no longer kept. */
export class EventsExpiredError extends GoneError {
  override readonly name = 'EventsExpiredError'
  /** The id of the oldest event that is kept; null: there is none. */
  readonly oldest: string | null
  constructor(fields: ErrorFields) {
    super(fields)
    this.oldest = fields.oldest ?? null
  }
}
/** 412: someone else has changed it. */
export class PreconditionFailedError extends SluglineError {
  override readonly name: string = 'PreconditionFailedError'
}
/** 422: `details` has every field that failed. */
export class ValidationError extends SluglineError {
  override readonly name: string = 'ValidationError'
}
/** 429, after the last retry. */
export class RateLimitError extends SluglineError {
  override readonly name: string = 'RateLimitError'
}
/** 5xx, after the last retry. */
export class ServerError extends SluglineError {
  override readonly name: string = 'ServerError'
}

type ErrorClass = new (fields: ErrorFields) => SluglineError

const BY_CODE: Readonly<Record<string, ErrorClass>> = {
  SLUG_TAKEN: SlugTakenError,
  PLAN_LIMIT_REACHED: PlanLimitError,
  EVENTS_EXPIRED: EventsExpiredError,
  EVENTS_OTHER_FEED: EventsOtherFeedError,
}

const BY_STATUS: Readonly<Record<number, ErrorClass>> = {
  400: BadRequestError,
  401: AuthenticationError,
  403: PermissionError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  412: PreconditionFailedError,
  422: ValidationError,
  429: RateLimitError,
}

/** The error that a response describes; a proxy's page becomes `HTTP_{status}`. */
export function errorOf(
  baseUrl: string,
  { status, headers, type }: Response,
  text: string,
): SluglineError {
  const location = headers.get('Location')
  // Browsers hide everything about a redirect.
  if (type === 'opaqueredirect' || (status >= 300 && status < 400 && location !== null)) {
    const message = `${baseUrl} redirects to ${location ?? 'another address'}: use that address`
    return new RedirectError({ code: 'REDIRECTED', message, status })
  }
  let body: { error?: Record<string, unknown> } | null = null
  try {
    body = JSON.parse(text)
  } catch {
    // Not from Slugline.
  }
  const error = body?.error ?? {}
  const after = Number(headers.get('Retry-After') ?? Number.NaN)
  const fields = {
    code: `HTTP_${status}`,
    message: `The response of ${baseUrl} (status ${status}) is not from Slugline.`,
    ...error,
    status,
    requestId: (error.request_id as string) ?? headers.get('X-Request-Id') ?? undefined,
    retryAfterSeconds: Number.isFinite(after) ? after : undefined,
  } as ErrorFields
  const Class =
    BY_CODE[fields.code] ?? BY_STATUS[status] ?? (status >= 500 ? ServerError : SluglineError)
  return new Class(fields)
}
