import type { BunRequest } from 'bun'
import { systemClock } from '../base/clock.ts'
import { createIds } from '../base/ids.ts'
import type { Logger } from '../base/logger.ts'
import { systemRandom } from '../base/random.ts'
import { within } from '../base/within.ts'
import { type Config, listeningUrl } from '../config/index.ts'
import { pathOf } from '../http/request.ts'
import type { Locale } from '../i18n/index.ts'
import type { Serving } from '../operations/serving.ts'
import { CommandError } from './context.ts'

type Fetch = Serving['fetch']
type Server = Bun.Server<undefined>

/**
 * Connections may be idle for this long, in seconds: longer than the 60 of common load balancers,
 * which must be the first to close, or they would send a request into a closing connection.
 */
const IDLE_SECONDS = 75

/**
 * No limit of Bun's own: it answers beyond that with a bare 413, before it can be said in the form
 * that the API promises. Handlers stop reading at their limits, and the rest is not taken from the
 * socket (measured: 400 MB sent, 3 MB received, memory unchanged).
 */
const MAX_BODY_BYTES = 2 ** 40

/** How long a node goes on answering, for load balancers to notice that it leaves. */
const LEAVING_MS = 1_500

const REASONS: Record<string, string> = {
  EADDRINUSE: 'another program does already. Stop it, or choose another PORT.',
  EACCES: 'this user may not. Choose a PORT from 1024 on, or grant CAP_NET_BIND_SERVICE.',
  EADDRNOTAVAIL: 'this machine has no such address. HOST=127.0.0.1 or HOST=0.0.0.0 always works.',
  EINVAL: 'this name has no address. HOST=127.0.0.1 or HOST=0.0.0.0 always works.',
}

/** Answers requests by what was opened last; while nothing is open, they wait. */
export type Gate = ReturnType<typeof createGate>

/** Created holding. */
export function createGate() {
  let next = held()
  const gate = {
    fetch: next.wait,
    open(fetch: Fetch): void {
      gate.fetch = fetch
      next.resolve(fetch)
    },
    /** Requests wait from now on. */
    hold(): void {
      next = held()
      gate.fetch = next.wait
    },
    /** Requests that wait fail. */
    fail: (error: unknown) => next.reject(error),
  }
  return gate
}

function held() {
  const { promise, resolve, reject } = Promise.withResolvers<Fetch>()
  promise.catch(() => {})
  const wait: Fetch = async (...visit) => (await promise)(...visit)
  return { wait, resolve, reject }
}

/** Listens. @throws CommandError when the address can't be had */
export function listen(
  config: Config,
  gate: Gate,
  logger: Pick<Logger, 'error'>,
  /** Beside another process that listens there and allows it, too. */
  isShared = false,
) {
  const { host, port } = config
  const answer = (request: Request, server: Server, first: string | null) =>
    isAsSent(request.url, first) ? gate.fetch(request, server) : folded(request, baseUrlOf(server))
  const baseUrlOf = ({ port: own }: Server) => config.baseUrl ?? listeningUrl(host, own as number)
  const inSegment = (request: BunRequest<'/:first'>, server: Server) =>
    answer(request, server, request.params.first)
  try {
    return Bun.serve({
      hostname: host,
      port,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: MAX_BODY_BYTES,
      development: false,
      // Otherwise Bun shares the port with any other Bun of this user, each with half the requests.
      reusePort: isShared,
      // Routes are found by the path that was sent, `Request` has what it was resolved to.
      routes: { '/:first': inSegment, '/:first/*': inSegment },
      fetch: (request, server) => answer(request, server, null),
      error(error) {
        return failed(error, logger, baseUrlOf(this))
      },
    })
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason'
    const reason = REASONS[code] ?? `${code}. Check HOST and PORT.`
    throw new CommandError(`Can't listen on ${host}:${port}: ${reason}`, 1, 'LISTEN')
  }
}

/**
 * Whether a path was sent as it is resolved: a backslash is read as a slash, and `..` removes what stands
 * before it, so that no rule of a proxy about paths would hold. Within its first segment it may be folded.
 * @param first the first segment that was sent, decoded; null: there was none, as in `/` and `//a`
 */
function isAsSent(url: string, first: string | null): boolean {
  const path = pathOf(url)
  // An address without a host is not resolved.
  if (url.startsWith('/') && path.includes('\\')) return false
  if (first === null) return path === '/' || path.startsWith('//') || path === '*'
  const [, segment = ''] = path.split('/', 2)
  try {
    return segment === first || decodeURIComponent(segment) === first
  } catch {
    // What can't be decoded is no path of ours.
    return true
  }
}

/** The answer to a path that means another one than it seems to. */
async function folded(request: Request, baseUrl: string): Promise<Response> {
  const { negotiateLocale } = await import('../i18n/index.ts')
  const acceptLanguage = request.headers.get('accept-language')
  return refusal('BAD_REQUEST', baseUrl, negotiateLocale({ query: null, acceptLanguage }))
}

/**
 * The answer to a request whose handler threw: English, because Bun doesn't say which request it
 * was. The log has no message of the error, which may hold the request's address.
 */
async function failed(error: Error, logger: Pick<Logger, 'error'>, baseUrl: string) {
  const answer = await refusal('INTERNAL_ERROR', baseUrl, 'en')
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  const request_id = answer.headers.get('x-request-id')
  logger.error({ request_id, name: error.name, frames }, 'request failed')
  return answer
}

/** An answer that no endpoint gives. */
async function refusal(
  code: 'BAD_REQUEST' | 'INTERNAL_ERROR',
  baseUrl: string,
  locale: Locale,
): Promise<Response> {
  const { AppError, renderError } = await import('../errors/index.ts')
  const { apiHeaders } = await import('../http/respond.ts')
  const requestId = createIds(systemClock, systemRandom).next('req')
  const view = { locale, requestId, asProblem: false, baseUrl }
  const { status, text, headers } = renderError(new AppError(code), view)
  const all = { ...apiHeaders(requestId, baseUrl), ...headers, 'Cache-Control': 'no-store' }
  return new Response(text, { status, headers: all })
}

/**
 * Takes no new connections, and finishes what has begun. Where a proxy keeps connections, it may send a
 * request into one at the moment at which it is closed, and must not send most methods again. So every
 * answer closes its connection, and a load balancer gets time to see `/readyz` fail.
 */
export async function stopRequests(
  server: { stop(closeActiveConnections?: boolean): Promise<void> },
  options: {
    /** Undefined: nothing answers yet. */
    gate: Gate | undefined
    /** Other nodes answer instead, and a load balancer finds them. */
    hasOthers: boolean
    /** What has begun is given up after so many milliseconds. */
    withinMs: number
    /** Resolves when a node with others has answered for long enough. */
    leave?: () => Promise<unknown>
  },
): Promise<void> {
  const { gate, hasOthers, withinMs, leave = () => Bun.sleep(LEAVING_MS) } = options
  let leftMs = withinMs
  if (gate !== undefined) {
    const { fetch } = gate
    gate.open(async (...visit) => {
      const answer = await fetch(...visit)
      answer.headers.set('connection', 'close')
      return answer
    })
    if (hasOthers) {
      await leave()
      leftMs -= LEAVING_MS
    }
  }
  const isFinished = () => server.stop().then(() => true)
  if (!(await within(leftMs, isFinished, false))) await server.stop(true)
}
