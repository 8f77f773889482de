import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Limiter, Policy } from '../limits/index.ts'
import type { Storage } from '../storage/index.ts'
import type { Idempotency } from './idempotency.ts'
import type { Authenticate, Sessions } from './types.ts'

/** What one request needs on its way. */
export interface Services {
  storage: Storage
  clock: Clock
  logger: Logger
  idempotency: Idempotency
  authenticate: Authenticate
  /** Given: this is the dashboard's API, and people ask instead of keys. */
  sessions?: Sessions | undefined
  /** Counts the requests of workspaces, on the dashboard's API those of people. */
  limiter: Limiter
  /** Counts the requests of workspaces, and of people in all of theirs, on both APIs. */
  planLimiter: Limiter
  /** Counts the requests of addresses without a key. */
  anonymousLimiter: Limiter
  anonymousPolicy: Policy
  clientAddress: (peer: string, headers: Headers) => string
  baseUrl: () => string
  /** Lets a test ask for `en-XA` and `ar-XB`. */
  pseudoLocales?: boolean | undefined
  /** Told of every answer. */
  observe?: ((event: AnswerEvent) => void) | undefined
}

/** One answer, for logs and metrics. */
export interface AnswerEvent {
  requestId: string
  method: string
  /** The endpoint's path with its parameters in braces; null where there is no such endpoint. */
  route: string | null
  status: number
  durationMs: number
  /** Whose key it was; null without one that is good, and for people. */
  workspaceNo: number | null
}

/** What the listener knows of a request besides the request. */
export interface RequestInfo {
  /** The address at the other end of the connection; asked for only when it is needed. */
  readonly peer: string
}
