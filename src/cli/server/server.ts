import { chmodSync, renameSync } from 'node:fs'
import type { BunRequest } from 'bun'
import { systemClock } from '../../lib/base/clock.ts'
import { createIds } from '../../lib/base/ids.ts'
import type { Logger } from '../../lib/base/logger.ts'
import { systemRandom } from '../../lib/base/random.ts'
import { withTimeout } from '../../lib/base/with-timeout.ts'
import type { Locale } from '../../lib/i18n/index.ts'
import { type Config, listeningUrl, socketPath } from '../../platform/config/index.ts'
import { pathOf } from '../../server/operations/only-links.ts'
import type { Serving } from '../../server/operations/serving.ts'
import { CommandError } from '../context.ts'

type Fetch = Serving['fetch']
type Server = Bun.Server<undefined>

/**
 * The idle timeout of connections, in seconds: longer than the 60 of common load balancers, which
 * must be the first to close; otherwise they would send a request into a closing connection.
 */
const IDLE_SECONDS = 75

/**
 * Effectively no limit by Bun, which would respond with a bare 413 instead of the API's format.
 * Handlers stop reading at their limits, and the rest is not read from the socket (measured: 400 MB
 * sent, 3 MB received, memory unchanged).
 */
const MAX_BODY_BYTES = 2 ** 40

/** Bun takes `unix` instead, but its types allow no idle timeout with that. */
interface Address {
  hostname: string
  port: number
}

/** A client of a Unix socket has no address, and is on this machine. */
const LOCAL = { requestIP: () => ({ address: '127.0.0.1' }) }

/** How many segments of a path are compared: no slug or endpoint has more. */
const SEGMENTS_MAX = 8

/** How long a node keeps responding, for load balancers to notice that it stops. */
const LEAVING_MS = 1_500

const REASONS: Record<string, string> = {
  EADDRINUSE: 'another program does already. Stop it, or choose another PORT.',
  EACCES: 'this user may not. Choose a PORT from 1024 on, or grant CAP_NET_BIND_SERVICE.',
  EADDRNOTAVAIL: 'this machine has no such address. HOST=127.0.0.1 or HOST=0.0.0.0 always works.',
  EINVAL: 'this name has no address. HOST=127.0.0.1 or HOST=0.0.0.0 always works.',
}

/** Passes requests to the current handler; without one they wait. */
export type Gate = ReturnType<typeof createGate>

/** Creates a gate that holds requests. */
export function createGate() {
  let next = held()
  const gate = {
    fetch: next.wait,
    open(fetch: Fetch): void {
      gate.fetch = fetch
      next.resolve(fetch)
    },
    /** Holds requests from now on. */
    hold(): void {
      next = held()
      gate.fetch = next.wait
    },
    /** Fails the waiting requests. */
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

/** Listens. @throws CommandError if the address is unavailable */
export async function listen(
  config: Config,
  gate: Gate,
  logger: Pick<Logger, 'error'>,
  /** Also if another process listens there and permits it. */
  isShared = false,
) {
  const { host, port } = config
  const socket = socketPath(host)
  // Its own until it replaces that of a server that was killed, or is taken over, in one step.
  const unix = socket && `${socket}.${process.pid}`
  const baseUrlOf = ({ port: own }: Server) => config.baseUrl ?? listeningUrl(host, own as number)
  const answer: Answer = (request, server, isNormalized) =>
    isNormalized
      ? gate.fetch(request, unix === null ? server : LOCAL)
      : refuseNonNormalized(request, baseUrlOf(server))
  try {
    if (socket !== null && !isShared && (await isAnswering(socket))) {
      throw Object.assign(new Error(), { code: 'EADDRINUSE' })
    }
    const server = Bun.serve({
      ...(unix === null ? { hostname: host, port } : ({ unix } as unknown as Address)),
      idleTimeout: IDLE_SECONDS,
      maxRequestBodySize: MAX_BODY_BYTES,
      development: false,
      // Otherwise Bun shares the port with any other Bun process of this user, each getting half
      // the requests.
      reusePort: isShared,
      routes: routesOf(answer),
      fetch: (request, server) => answer(request, server, isEmptyNormalized(request.url)),
      error(error) {
        return failed(error, logger, baseUrlOf(this))
      },
    })
    if (unix !== null) publish(unix, socket as string)
    return server
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown reason'
    const reason = REASONS[code] ?? `${code}. Check HOST and PORT.`
    throw new CommandError(`Can't listen on ${socket ?? `${host}:${port}`}: ${reason}`, 1, 'LISTEN')
  }
}

/** Whether a process listens on a Unix socket. */
async function isAnswering(unix: string): Promise<boolean> {
  try {
    const connection = await Bun.connect({ unix, socket: { data() {} } })
    connection.end()
    return true
  } catch {
    return false
  }
}

/** Puts a Unix socket in its place, where members of the group, such as proxies, can connect. */
function publish(unix: string, place: string): void {
  chmodSync(unix, 0o660)
  renameSync(unix, place)
}

type Answer = (request: Request, server: Server, isNormalized: boolean) => ReturnType<Fetch>

/**
 * Routes for paths by their first segments. Bun matches the path as sent, but `Request` has it
 * normalized: a backslash becomes a slash, and `..` removes the preceding segment, which would
 * bypass a proxy's rules about paths.
 */
function routesOf(answer: Answer) {
  const routes: Record<string, (request: BunRequest, server: Server) => ReturnType<Fetch>> = {}
  const names = 'abcdefgh'.slice(0, SEGMENTS_MAX)
  for (let n = 1; n <= SEGMENTS_MAX; n++) {
    const path = [...names.slice(0, n)].map((name) => `/:${name}`).join('')
    for (const isWhole of [true, false]) {
      routes[isWhole ? path : `${path}/*`] = (request, server) =>
        answer(request, server, isNormalized(request.url, Object.values(request.params), isWhole))
    }
  }
  /** The route of most visits, for which one comparison is enough. */
  const ofOne = ({ url, params: { a } }: BunRequest<'/:a'>) =>
    isSingleSegment(url, a) || isNormalized(url, [a], true)
  return {
    ...routes,
    '/:a': (request: BunRequest<'/:a'>, server: Server) => answer(request, server, ofOne(request)),
  }
}

/** Whether a URL's path is exactly this one segment. */
function isSingleSegment(url: string, segment: string): boolean {
  const at = url.length - segment.length - 1
  return at === url.indexOf('/', 'https://'.length) && url.endsWith(segment) && !url.includes('#')
}

/**
 * Whether a path equals its normalized form.
 * @param sent its first segments, decoded
 * @param isWhole whether these are all; else an empty one follows, or there are more than in `sent`
 */
function isNormalized(url: string, sent: readonly string[], isWhole: boolean): boolean {
  const path = pathOf(url)
  // A URL without a host is not normalized; what follows a `#` is not always read.
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
    // A path that can't be decoded isn't ours.
    return true
  }
}

/** The same for a path with an empty first segment, such as `/` and `//a`. */
function isEmptyNormalized(url: string): boolean {
  const path = pathOf(url)
  return path === '/' || (path.startsWith('//') && !path.includes('\\'))
}

/** The response to a path that differs from its normalized form. */
async function refuseNonNormalized(request: Request, baseUrl: string): Promise<Response> {
  const { negotiateLocale } = await import('../../lib/i18n/index.ts')
  const acceptLanguage = request.headers.get('accept-language')
  return refusal('BAD_REQUEST', baseUrl, negotiateLocale({ query: null, acceptLanguage }))
}

/**
 * The response if a handler threw: in English, because Bun doesn't pass the request. The log omits
 * the error's message, which may contain the request's URL.
 */
async function failed(error: Error, logger: Pick<Logger, 'error'>, baseUrl: string) {
  const answer = await refusal('INTERNAL_ERROR', baseUrl, 'en')
  const frames = error.stack?.split('\n').filter((line) => /^\s+at /.test(line))
  const request_id = answer.headers.get('x-request-id')
  logger.error({ request_id, name: error.name, frames }, 'request failed')
  return answer
}

/** A response without an endpoint. */
async function refusal(
  code: 'BAD_REQUEST' | 'INTERNAL_ERROR',
  baseUrl: string,
  locale: Locale,
): Promise<Response> {
  const { AppError, renderError } = await import('../../lib/errors/index.ts')
  const { apiHeaders } = await import('../../http/respond.ts')
  const requestId = createIds(systemClock, systemRandom).next('req')
  const view = { locale, requestId, asProblem: false, baseUrl }
  const { status, text, headers } = renderError(new AppError(code), view)
  const all = { ...apiHeaders(requestId, baseUrl), ...headers, 'Cache-Control': 'no-store' }
  return new Response(text, { status, headers: all })
}

/**
 * Stops accepting connections, and finishes pending requests. A proxy that keeps connections may
 * send a request into one while it is closed, and must not retry most methods. So every response
 * closes its connection, and a load balancer gets time to notice that `/readyz` fails.
 */
export async function stopRequests(
  server: { stop(closeActiveConnections?: boolean): Promise<void> },
  options: {
    /** Undefined: not opened yet. */
    gate: Gate | undefined
    /** Other nodes take over, once a load balancer has noticed. */
    hasOthers: boolean
    /** The timeout for pending requests. */
    withinMs: number
    /** Resolves when one of several nodes has responded for long enough. */
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
  if (!(await withTimeout(leftMs, isFinished, false))) await server.stop(true)
}
