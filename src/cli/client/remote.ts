import { setTimeout as wait } from 'node:timers/promises'
import { type CommandContext, CommandError } from '../context.ts'
import { type Login, savedLogin } from './saved-login.ts'

/** How often, and after how long by default, a rate-limited request is retried. */
const TRIES = 30
const AGAIN_MS = 10_000

/** Calls an instance over its API. */
export type Remote = ReturnType<typeof remoteOf>

/** An instance's error, with its message. */
class RemoteError extends CommandError {
  constructor(
    message: string,
    code: string | undefined,
    readonly retryAfterMs: number | null = null,
    details?: CommandError['details'],
  ) {
    super(message, 1, code, details)
  }
}

/**
 * The instance of `SLUGLINE_URL` and `SLUGLINE_API_KEY`, or else the saved login. A saved key is
 * only sent to the instance that it was saved for.
 * @throws CommandError if there is neither
 */
export function loginOf(context: CommandContext): Login {
  const { remote } = context.environment
  const saved = remote.url === null || remote.key === null ? savedLogin(context) : null
  const url = remote.url ?? saved?.url
  const key = remote.key ?? (saved?.url === url ? saved?.key : undefined)
  if (url !== undefined && key !== undefined) return { url, key }
  const text = 'run slugline login, or set SLUGLINE_URL and SLUGLINE_API_KEY'
  throw new CommandError(`No instance is named: ${text}`, 2, 'NOT_LOGGED_IN')
}

/** The instance of {@link loginOf}. @throws CommandError if there is none */
export function remoteOf(context: CommandContext) {
  return remoteAt(loginOf(context))
}

/** The instance of a login. */
export function remoteAt({ url, key }: Login) {
  /** @throws CommandError with the instance's message */
  return async (path: string, query: Query = {}, send: Send = {}): Promise<Response> => {
    const { method = 'GET', json, signal } = send
    const type = json === undefined ? send.type : 'application/json'
    const parameters = Object.entries(query).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, value] as [string, string]),
    )
    const address = `${url}/api/v1${path}?${new URLSearchParams(parameters)}`
    // URLs leave out `.` and `..`, encoded or not: the request would be another one.
    if (path.split('/').some((name) => /^\.{1,2}$/.test(name))) {
      throw new CommandError('. and .. can’t be part of an address', 2)
    }
    let response: Response
    try {
      const headers = {
        Authorization: `Bearer ${key}`,
        ...(type && { 'Content-Type': type }),
        ...send.headers,
      }
      const body = json === undefined ? send.body : JSON.stringify(json)
      response = await fetch(address, {
        ...{ method, headers, redirect: 'manual' },
        ...(body && { body }),
        ...(signal && { signal }),
      })
    } catch (error) {
      if (signal?.aborted) throw error
      throw new RemoteError(`${url} does not answer`, 'UNREACHABLE')
    }
    if (response.ok) return response
    throw await refusalOf(url, response)
  }
}

/** The body of a response. */
export async function bodyOf<T>(answer: Promise<Response>): Promise<T> {
  return (await (await answer).json()) as T
}

interface Send {
  method?: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  type?: string | undefined
  body?: Bun.BodyInit
  /** Instead of `body`. */
  json?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

async function refusalOf(url: string, response: Response): Promise<RemoteError> {
  const { status, headers } = response
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location !== null) {
    return new RemoteError(`${url} redirects to ${location}: use that address`, 'REDIRECTED')
  }
  const { error } = (await response.json().catch(() => ({}))) as ErrorBody
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return new RemoteError(
    error?.message ?? `${url} answers ${status}`,
    error?.code,
    Number.isNaN(seconds) ? null : seconds * 1_000,
    error?.details?.map(({ field, code, message }) => ({ field, code, message })),
  )
}

/** Lists are repeated parameters. */
export type Query = Readonly<Record<string, string | readonly string[]>>

interface ErrorBody {
  error?: {
    code: string
    message: string
    details?: { field: string; code: string; message: string }[]
  }
}

const BUSY = ['RATE_LIMITED', 'SERVICE_UNAVAILABLE']

/** Retries a request that was rate-limited, or refused while the instance was unavailable. */
export async function insist<T>(
  send: () => Promise<T>,
  { codes = BUSY, signal }: { codes?: readonly string[]; signal?: AbortSignal } = {},
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await send()
    } catch (error) {
      if (!(error instanceof RemoteError) || tries === TRIES || !codes.includes(error.code))
        throw error
      await wait(error.retryAfterMs ?? AGAIN_MS, undefined, { signal })
    }
  }
}

/** Codes to retry idempotent requests on, also while the instance is restarted. */
export const BUSY_OR_AWAY = [...BUSY, 'UNREACHABLE']
