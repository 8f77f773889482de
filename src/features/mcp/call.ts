/** The parts of a failed API request that a tool reports. */
export interface Failure {
  code: string
  message: string
  details?: readonly { field: string; message: string }[] | undefined
  suggestions?: readonly string[] | undefined
  /** Seconds until a retry is permitted. */
  retryAfter?: number | undefined
}

/** A request to the API was refused, or a tool can't do what was asked. */
export class CallFailure extends Error {
  override name = 'CallFailure'

  constructor(readonly failure: Failure) {
    super(failure.code)
  }
}

/** Lists are repeated parameters; undefined ones are left out. */
export type CallQuery = Readonly<
  Record<string, string | number | boolean | readonly string[] | undefined>
>

/** What a request sends besides its path. */
export interface Sent {
  query?: CallQuery
  /** Sent as JSON. */
  json?: object
  headers?: Readonly<Record<string, string>>
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/**
 * Sends a request to the API with the caller's key. The path begins below `/api/v1`.
 * @throws CallFailure for any answer but 2xx
 */
export type Call = (method: Method, path: string, sent?: Sent) => Promise<Response>

/** The members that aren't undefined. */
export function given<T extends object>(members: T) {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}

/** The pairs of a query string. */
export function pairsOf(query: CallQuery = {}): [string, string][] {
  return Object.entries(query).flatMap(([name, values]) =>
    values === undefined
      ? []
      : [values].flat().map((value) => [name, String(value)] as [string, string]),
  )
}

/** The error of a tool that can't do what was asked. */
export function refusal(code: string, message: string, suggestions?: readonly string[]) {
  return new CallFailure({ code, message, suggestions })
}

/** The JSON body of a response. */
export async function jsonOf<T>(response: Promise<Response>): Promise<T> {
  return (await (await response).json()) as T
}

/** Reads an object or a page of a list. */
export function get<T>(call: Call, path: string, query: CallQuery = {}): Promise<T> {
  return jsonOf<T>(call('GET', path, { query }))
}

/** The error of a refused request. */
export async function failureOf(response: Response): Promise<CallFailure> {
  const { error } = (await response.json().catch(() => ({}))) as { error?: Failure }
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return new CallFailure({
    code: error?.code ?? 'INTERNAL_ERROR',
    message: error?.message ?? `The API answered ${response.status}.`,
    details: error?.details,
    suggestions: error?.suggestions,
    retryAfter: Number.isNaN(seconds) ? undefined : seconds,
  })
}
