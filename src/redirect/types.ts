import type { ClientAddress } from '../base/client-address.ts'
import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { BlockList } from '../blocks/list.ts'
import type { ExcludedNetworks, Recorder } from '../clicks/index.ts'
import type { HashQueue } from '../limits/index.ts'
import type { Trace, VisitorFacts } from '../rules/index.ts'
import type { Storage } from '../storage/index.ts'
import type { Decision } from './decision.ts'
import type { Resolver } from './resolver.ts'
import type { InSite } from './sites.ts'
import type { Visit } from './visit.ts'
import type { VisitLimit } from './visit-limit.ts'

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
  /** Whether slugs that differ only in case are different ones on a domain. Default: they aren't. */
  isCaseSensitive?: (domainNo: number) => boolean
  clientAddress: ClientAddress
  /** The country and region of a truncated address, for the rules of links. */
  placeOf: VisitorFacts['placeOf']
  /** For visitors who asked not to be told apart: which variant they get. */
  random: Random
  guesses: GuessLimit
  /** Whose visits aren't counted. Absent: all are. */
  excluded?: Pick<ExcludedNetworks, 'covers'> | undefined
  /** Absent: visits of one address are not limited. */
  visitLimit?: VisitLimit | undefined
  /** Where passwords wait to be checked. Default: a queue of its own. */
  hashes?: HashQueue
  /** Gives pages the form that their domain wants. Absent: they stay as they are. */
  inSite?: InSite
  /** What is blocked besides addresses. */
  blocks: Pick<BlockList, 'covers' | 'hasTarget'>
  /** Keeps what a visitor writes about an address. Not allowed: too many of this visitor's. */
  report: (report: VisitorReport) => Promise<Guess>
  logger?: Pick<Logger, 'error'>
  /** Gets each step of each decision, and what was decided. */
  explain?: { trace: Trace; decided: (decision: Decision, visit: Visit) => void }
  /** Checks a password against an argon2id hash. */
  verifyPassword?: (password: string, hash: string) => Promise<boolean>
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

/** Limits how often passwords of links are guessed. */
export interface GuessLimit {
  /** Takes one guess of an address at a link, or at whatever else has a password. */
  take(target: number | string, address: string): Guess | Promise<Guess>
  /** The guess was right: those at it are not used up by visitors who know the password. */
  right(target: number | string): void | Promise<void>
}

/** Whether one more guess or report was left. */
export interface Guess {
  allowed: boolean
  retryAfterSeconds: number
}
