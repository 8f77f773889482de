import type { BunRequest } from 'bun'
import { systemClock } from '../base/clock.ts'
import { createIds } from '../base/ids.ts'
import type { Logger } from '../base/logger.ts'
import { systemRandom } from '../base/random.ts'
import { within } from '../base/within.ts'
import { type Config, listeningUrl } from '../config/index.ts'
import type { Locale } from '../i18n/index.ts'
import { pathOf } from '../operations/only-links.ts'
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

/** How many segments of a path are looked at: no slug has more, and no endpoint. */
const SEGMENTS_MAX = 8

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
  const baseUrlOf = ({ port: own }: Server) => config.baseUrl ?? listeningUrl(host, own as number)
  const answer: Answer = (request, server, isAsSent) =>
    isAsSent ? gate.fetch(request, server) : folded(request, baseUrlOf(server))
  try {
    return Bun.serve({
      hostname: host,
      port,
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: MAX_BODY_BYTES,
      development: false,
      // Otherwise Bun shares the port with any other Bun of this user, each with half the requests.
      reusePort: isShared,
      routes: routesOf(answer),
      fetch: (request, server) => answer(request, server, isEmptyAsSent(request.url)),
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

type Answer = (request: Request, server: Server, isAsSent: boolean) => ReturnType<Fetch>

/**
 * Routes for every path that begins with a segment. They are found by the path that was sent, while
 * `Request` has what it was resolved to: a backslash is read as a slash, and `..` removes what stands
 * before it, so that no rule of a proxy about paths would hold.
 */
function routesOf(answer: Answer) {
  const routes: Record<string, (request: BunRequest, server: Server) => ReturnType<Fetch>> = {}
  const names = 'abcdefgh'.slice(0, SEGMENTS_MAX)
  for (let n = 1; n <= SEGMENTS_MAX; n++) {
    const path = [...names.slice(0, n)].map((name) => `/:${name}`).join('')
    for (const isWhole of [true, false]) {
      routes[isWhole ? path : `${path}/*`] = (request, server) =>
        answer(request, server, isAsSent(request.url, Object.values(request.params), isWhole))
    }
  }
  /** Most visits, for which one comparison does. */
  const ofOne = ({ url, params: { a } }: BunRequest<'/:a'>) =>
    isThePath(url, a) || isAsSent(url, [a], true)
  return {
    ...routes,
    '/:a': (request: BunRequest<'/:a'>, server: Server) => answer(request, server, ofOne(request)),
  }
}

/** Whether an address has nothing behind its host but this one segment, letter by letter. */
function isThePath(url: string, segment: string): boolean {
  const at = url.length - segment.length - 1
  return at === url.indexOf('/', 'https://'.length) && url.endsWith(segment) && !url.includes('#')
}

/**
 * Whether a path is resolved to what was sent.
 * @param sent its first segments, decoded
 * @param isWhole whether these are all; else an empty one follows, or there are more than `sent` has
 */
function isAsSent(url: string, sent: readonly string[], isWhole: boolean): boolean {
  const path = pathOf(url)
  // An address without a host is not resolved; what follows a `#` is not always read.
  if ((url.startsWith('/') && path.includes('\\')) || path.includes('#')) return false
  const segments = path.split('/').slice(1)
  const { length } = sent
  if (isWhole ? segments.length !== length : segments[length] === undefined) return false
  if (!isWhole && length < SEGMENTS_MAX && segments[length] !== '') return false
  return sent.every((segment, i) => isSame(segments[i] as string, segment))
}

function isSame(resolved: string, sent: string): boolean {
  try {
    return resolved === sent || decodeURIComponent(resolved) === sent
  } catch {
    // What can't be decoded is no path of ours.
    return true
  }
}

/** The same of a path that begins with no segment, as `/` and `//a`. */
function isEmptyAsSent(url: string): boolean {
  const path = pathOf(url)
  return path === '/' || (path.startsWith('//') && !path.includes('\\'))
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
