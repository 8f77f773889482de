import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Logger } from '../base/logger.ts'
import type { Limiter } from '../limits/index.ts'
import type { Storage } from '../storage/index.ts'
import type { Idempotency } from './idempotency.ts'
import type { Authenticate, Sessions } from './types.ts'

/** What the HTTP layer needs from the rest. */
export interface ApiDeps {
  storage: Storage
  clock: Clock
  logger: Logger
  ids: Ids
  authenticate: Authenticate
  /** Given: this is the dashboard's API, called by people instead of keys. */
  sessions?: Sessions | undefined
  /** Counts the requests of workspaces, with `sessions` those of people. Default: in memory. */
  limiter?: Limiter | undefined
  /** Counts by plan what people write, as the public API counts keys. Default: `limiter`. */
  planLimiter?: Limiter | undefined
  /** Counts the requests of addresses without a key. Default: in memory. */
  anonymousLimiter?: Limiter | undefined
  /** Requests per minute that one address may send without a key. */
  anonymousPerMinute: number
  clientAddress: (peer: string, headers: Headers) => string
  baseUrl: () => string
  /** Lets a test ask for `en-XA` and `ar-XB`. */
  pseudoLocales?: boolean | undefined
  /** Called with every answer. */
  observe?: ((event: AnswerEvent) => void) | undefined
}

/** What one request needs on its way. */
export interface Services extends ApiDeps {
  idempotency: Idempotency
  limiter: Limiter
  planLimiter: Limiter
  anonymousLimiter: Limiter
}

/** One answer, for logs and metrics. */
export interface AnswerEvent {
  requestId: string
  method: string
  /** The endpoint's path with its parameters in braces; null where there is no such endpoint. */
  route: string | null
  status: number
  durationMs: number
  /** The workspace of a valid key; null without one, and for people. */
  workspaceNo: number | null
}

/** What the listener knows of a request besides the request. */
export interface RequestInfo {
  /** The address at the other end of the connection; asked for only when it is needed. */
  readonly peer: string
}
