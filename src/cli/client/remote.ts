import { Slugline } from '../../../sdk/typescript/src/index.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { type Login, savedLogin } from './saved-login.ts'

/** Uploads may take long; `fetch` itself ends connections on which nothing happens. */
const TIMEOUT_MS = 3_600_000

/** Options for long work: for minutes it waits for a rate limit, and while the instance is restarted. */
export const PATIENT = { maxRetries: 29 } as const

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
  throw new CommandError(`Not logged in: ${text}`, 2, 'NOT_LOGGED_IN')
}

/** A client of the instance of {@link loginOf}. @throws CommandError if there is none */
export function clientOf(context: CommandContext): Slugline {
  return clientAt(loginOf(context))
}

/** A client of the instance of a login. */
export function clientAt({ url, key }: Login): Slugline {
  return new Slugline({ baseUrl: url, apiKey: key, timeoutMs: TIMEOUT_MS })
}
