import { type CommandContext, CommandError } from './context.ts'

/** Asks an instance over its API. */
export type Remote = ReturnType<typeof remoteOf>

/**
 * The instance that `SLUGLINE_URL` and `SLUGLINE_API_KEY` name.
 * @throws CommandError when they are not set
 */
export function remoteOf({ environment: { remote } }: CommandContext) {
  const { url, key } = remote
  if (url === null || key === null) {
    throw new CommandError(
      'set SLUGLINE_URL and SLUGLINE_API_KEY to the instance and a key of it',
      2,
    )
  }
  /** @throws CommandError with the instance's own words */
  return async (
    path: string,
    query: Query = {},
    send: { method?: 'POST'; type?: string; body?: Bun.BodyInit } = {},
  ): Promise<Response> => {
    const { method = 'GET', type, body } = send
    const parameters = Object.entries(query).flatMap(([name, values]) =>
      [values].flat().map((value) => [name, value] as [string, string]),
    )
    const address = `${url}/api/v1${path}?${new URLSearchParams(parameters)}`
    let response: Response
    try {
      const headers = { Authorization: `Bearer ${key}`, ...(type && { 'Content-Type': type }) }
      response = await fetch(address, { method, headers, ...(body && { body }) })
    } catch {
      throw new CommandError(`${url} does not answer`, 1, 'UNREACHABLE')
    }
    if (response.ok) return response
    const { error } = (await response.json().catch(() => ({}))) as ErrorBody
    const messages = error?.details?.map(({ field, message }) => `${field}: ${message}`)
    const text = messages?.join(' ') ?? error?.message ?? `${url} answers ${response.status}`
    throw new CommandError(text, 1, error?.code)
  }
}

/** Repeated parameters are lists. */
type Query = Readonly<Record<string, string | readonly string[]>>

interface ErrorBody {
  error?: {
    code: string
    message: string
    details?: { field: string; message: string }[]
  }
}
