import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { Config, Secrets } from '../config/index.ts'
import type { Plans } from '../plans/service.ts'
import type { Storage } from '../storage/index.ts'
import type { Health } from './health.ts'
import type { ShutdownStep } from './lifecycle.ts'
import type { Metrics } from './metrics.ts'

/** What the composition root starts from: settings that were checked, and the machine's own. */
export interface ServingInput {
  config: Config
  secrets: Secrets
  plans: Plans
  logger: Logger
  metrics: Metrics
  clock: Clock
  ids: Ids
  random: Random
  /** The public address: an origin without a trailing slash. */
  baseUrl: string
  /** The port that the server listens on. */
  listenPort: number
  /** Where the secret is kept; null: the environment gives it. */
  secretFile: string | null
}

/** The part of Bun's server that a request's handler uses. */
interface ListeningServer {
  requestIP(request: Request): { address: string } | null
}

/** Everything put together, as `serve` runs it. */
export interface Serving {
  fetch(request: Request, server: ListeningServer): Response | Promise<Response>
  /** Loads all but the redirect; requests for it wait meanwhile. */
  complete(): Promise<void>
  health: Pick<Health, 'stopping'>
  /** For the questions that a start asks: whether there are keys, and which plans are in use. */
  storage: Pick<Storage, 'read'>
  /** The address at which the first account is made; null: there is one. */
  openClaim(): Promise<string | null>
  /** What to close, in order, when no request is being answered any more. At most 5 seconds. */
  closing: readonly ShutdownStep[]
}

/** The composition root's one function: opens the stores of a migrated data directory. */
export type CreateServing = (input: ServingInput) => Promise<Serving>
