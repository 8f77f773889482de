import {
  type DetailCode,
  type DetailParams,
  ERRORS,
  type ErrorCode,
  type ErrorParam,
  type ErrorParams,
} from './catalogue.ts'

/** One failing field. `field` is its path in the request, such as `tags[2]`, or a header's name. */
export type ErrorDetail = {
  [C in DetailCode]: {
    readonly field: string
    readonly code: C
  } & (Partial<DetailParams<C>> extends DetailParams<C>
    ? { readonly params?: DetailParams<C> }
    : { readonly params: DetailParams<C> })
}[DetailCode]

/** What an AppError can carry besides its code and its message parameters. */
export interface AppErrorOptions {
  /** All failing fields, not only the first. */
  details?: readonly ErrorDetail[] | undefined
  /** Free slugs to offer with SLUG_TAKEN. */
  suggestions?: readonly string[] | undefined
  /** With EVENTS_EXPIRED: the id of the oldest event that can be had; null: there is none. */
  oldest?: string | null | undefined
  /** Response headers that belong to this error, such as Retry-After, Allow, WWW-Authenticate. */
  headers?: Readonly<Record<string, string>> | undefined
  /** What went wrong, for the log alone; never sent to a client. Default: the code. */
  internal?: string | undefined
  cause?: unknown
}

/** Code and options; `params` is required where the message has parameters. */
export type AppErrorArgs = {
  [C in ErrorCode]: keyof ErrorParams<C> extends never
    ? [code: C, options?: AppErrorOptions]
    : [code: C, options: AppErrorOptions & { params: ErrorParams<C> }]
}[ErrorCode]

/**
 * An error that a client receives as a code. Its public text is looked up by code and language
 * where the response is rendered; `message` is for the log and never leaves the server.
 */
export class AppError extends Error {
  readonly code: ErrorCode
  /** HTTP status, from the catalogue. */
  readonly status: number
  readonly params: Readonly<Record<string, ErrorParam>>
  readonly details: readonly ErrorDetail[] | undefined
  readonly suggestions: readonly string[] | undefined
  readonly oldest: string | null | undefined
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(...[code, options]: AppErrorArgs) {
    super(
      options?.internal ?? code,
      options?.cause === undefined ? undefined : { cause: options.cause },
    )
    this.name = 'AppError'
    this.code = code
    this.status = ERRORS[code].status
    this.params = options !== undefined && 'params' in options ? options.params : {}
    this.details = options?.details && boundedDetails(options.details)
    this.suggestions = options?.suggestions
    this.oldest = options?.oldest
    this.headers = options?.headers
  }
}

/** The most details of an error; one more says how many are left out. */
export const DETAILS_MAX = 100
/** The most characters of a detail's `field`: names of unknown members are the client's. */
const FIELD_LENGTH_MAX = 128

/** The details that a response shows. Those of several errors can be bounded again. */
export function boundedDetails(
  details: readonly ErrorDetail[],
  max: number = DETAILS_MAX,
): ErrorDetail[] {
  const shown: ErrorDetail[] = []
  let more = 0
  for (const detail of details) {
    if (detail.code === 'TOO_MANY_DETAILS') more += detail.params.count
    else if (shown.length < max) shown.push(shortened(detail))
    else more++
  }
  if (more > 0) shown.push({ field: '', code: 'TOO_MANY_DETAILS', params: { count: more } })
  return shown
}

function shortened(detail: ErrorDetail): ErrorDetail {
  if (detail.field.length <= FIELD_LENGTH_MAX) return detail
  // Without half of a surrogate pair.
  const start = detail.field.slice(0, FIELD_LENGTH_MAX).replace(/[\ud800-\udbff]$/, '')
  return { ...detail, field: `${start}…` }
}

/** The error for invalid fields. */
export function invalid(...details: readonly ErrorDetail[]): AppError {
  return new AppError('VALIDATION_FAILED', { details })
}

/** A refused command of the operator. The message is English, for the command line. */
export class OperatorError extends Error {
  override name = 'OperatorError'
  /** The command's exit status: 1 failed, 2 wrong usage or configuration. */
  readonly status: 1 | 2

  constructor(
    readonly code: string,
    message: string,
    { status = 1, ...options }: ErrorOptions & { status?: 1 | 2 } = {},
  ) {
    super(message, options)
    this.status = status
  }
}

/** Refuses data that was made before the first migration. */
export function oldData(): OperatorError {
  return new OperatorError(
    'DATA_OLD',
    'The data was made by a version of Slugline from before its first release, whose format ' +
      'is not read. Use an empty data directory or database.',
  )
}

/** Refuses data with a migration that this version doesn't know. */
export function newerData(migration: string): OperatorError {
  return new OperatorError(
    'DATA_NEWER',
    `The data was made by a newer version of Slugline (${migration}). Start that version, or ` +
      'restore the backup from before the upgrade.',
  )
}
