import type { ClientAddress } from '../base/client-address.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { BlockList } from '../blocks/list.ts'
import type { Recorder } from '../clicks/index.ts'
import type { Storage } from '../storage/index.ts'
import type { VerifyPassword } from './form.ts'
import type { Resolver } from './resolver.ts'

/** What the redirect works with. */
export interface RedirectDeps {
  resolver: Resolver
  recorder: Recorder
  storage: Pick<Storage, 'write'>
  clock: Clock
  /** A new request id. */
  requestId: () => string
  /** The number of the short domain behind a host (with its port, if any). */
  domainOf: (host: string) => number
  clientAddress: ClientAddress
  /** Takes one guess at a password from the allowance of a link and an address. */
  takeGuess: (key: string) => Guess | Promise<Guess>
  /** What is blocked besides addresses. */
  blocks: Pick<BlockList, 'covers' | 'hasTarget'>
  /** Keeps what a visitor writes about an address. Not allowed: too many of this visitor's. */
  report: (report: VisitorReport) => Promise<Guess>
  logger?: Pick<Logger, 'error'>
  verifyPassword?: VerifyPassword
  pseudoLocales?: boolean
  /** The public address. */
  baseUrl: string
}

/** What a visitor reports. */
export interface VisitorReport {
  domainNo: number
  slugKey: string
  text: string
  /** The address that it comes from. */
  from: string
}

/** Whether one more guess or report was left. */
export interface Guess {
  allowed: boolean
  retryAfterSeconds: number
}

/** How often each answer was given since the start, for metrics. */
export interface RedirectCounts {
  redirected: number
  not_found: number
  gone: number
  /** Forms and previews. */
  page: number
  unavailable: number
}

/** Answers every path that is neither the API's nor the app's. */
export interface Redirect {
  readonly counts: Readonly<RedirectCounts>
  /** `peer` gives the address at the other end of the connection. Never rejects. */
  fetch(request: Request, peer: () => string): Promise<Response> | Response
}
