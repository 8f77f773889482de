import type { Clock } from '../lib/base/clock.ts'
import type { Logger } from '../lib/base/logger.ts'
import type { Random } from '../lib/base/random.ts'
import type { BlockList } from '../model/blocks/list.ts'
import type { HashQueue } from '../platform/limits/index.ts'
import type { Storage } from '../platform/storage/index.ts'
import type { Decision } from './decision.ts'
import type { Resolver } from './resolver.ts'
import type { Trace } from './rules/index.ts'
import type { InSite } from './sites.ts'
import type { Visit, VisitDeps } from './visit.ts'

/** What the redirect works with. */
export interface RedirectDeps extends VisitDeps {
  resolver: Resolver
  storage: Pick<Storage, 'write'>
  clock: Clock
  /** A new request id. */
  requestId: () => string
  /** The number of the short domain of a host (with its port, if any). */
  domainOf: (host: string) => number
  /** Whether search engines may list links of a domain. Default: they may not. */
  isIndexed?: (domainNo: number) => boolean
  /** Assigns variants to visitors who asked not to be tracked. */
  random: Random
  guesses: GuessLimit
  /** Absent: no limit on visits of one address. */
  visitLimit?: VisitLimit | undefined
  /** The queue for checking passwords. Default: a separate one. */
  hashes?: HashQueue
  /** Gives pages the form that their domain wants. Absent: they stay as they are. */
  inSite?: InSite
  /** Blocks other than of single addresses. */
  blocks: Pick<BlockList, 'covers' | 'hasTarget'>
  /** Counts a visit to a path that no link has. */
  missed?: (request: Request, domainNo: number) => void
  /** Stores a visitor's report about an address. Not allowed: too many of this visitor's. */
  report: (report: VisitorReport) => Promise<Guess>
  logger?: Pick<Logger, 'error'>
  /** Receives each step of each decision, and the result. */
  explain?: { trace: Trace; decided: (decision: Decision, visit: Visit) => void }
  /** Checks a password against an argon2id hash. */
  verifyPassword?: (password: string, hash: string) => Promise<boolean>
  pseudoLocales?: boolean
  /** The public URL. */
  baseUrl: string
}

/** A visitor's report. */
export interface VisitorReport {
  domainNo: number
  slugKey: string
  text: string
  /** The visitor's address. */
  from: string
}

/** Limits how often passwords of links are guessed. */
export interface GuessLimit {
  /** Takes a guess of an address at a link, or at anything else with a password. */
  take(target: number | string, address: string): Guess | Promise<Guess>
  /** Refunds a correct guess, so that visitors who know the password don't use up the limit. */
  right(target: number | string): void | Promise<void>
}

/** Limits the visits of one address (IPv6: /64) to one link. */
export interface VisitLimit {
  /** Counts a visit. Returns the seconds until the next is allowed; 0: now. */
  take(linkSeq: number, address: string, now: number): number
}

/** Whether a guess or report is allowed. */
interface Guess {
  allowed: boolean
  retryAfterSeconds: number
}

/** How often each kind of response was given since the start, for metrics. */
export type RedirectCounts = Readonly<ReturnType<typeof noAnswers>>

/** The counts of a new redirect. */
export function noAnswers() {
  return {
    redirected: 0,
    not_found: 0,
    gone: 0,
    /** Refused: too many of one address. */
    limited: 0,
    /** Forms and previews. */
    page: 0,
    unavailable: 0,
  }
}
