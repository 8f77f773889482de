import type { Plans } from '../../features/plans/service.ts'
import type { Clock } from '../../lib/base/clock.ts'
import type { Ids } from '../../lib/base/ids.ts'
import type { Logger } from '../../lib/base/logger.ts'
import type { Random } from '../../lib/base/random.ts'
import type { Config, Secrets } from '../../platform/config/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { Health } from './health.ts'
import type { ShutdownStep } from './lifecycle.ts'
import type { Metrics } from './metrics.ts'
import type { Tracing } from './tracing.ts'

/** The input of the composition root: validated settings, and those of the machine. */
export interface ServingInput {
  config: Config
  secrets: Secrets
  plans: Plans
  logger: Logger
  metrics: Metrics
  /** Null: requests aren't traced. */
  tracing: Tracing | null
  clock: Clock
  ids: Ids
  random: Random
  /** The public URL: an origin without a trailing slash. */
  baseUrl: string
  /** The port that the server listens on. */
  listenPort: number
  /** The file of the secret; null: the environment has it. */
  secretFile: string | null
}

/** The part of Bun's server that request handlers use. */
interface ListeningServer {
  requestIP(request: Request): { address: string } | null
}

/** The composed server, as `serve` runs it. */
export interface Serving {
  fetch(request: Request, server: ListeningServer): Response | Promise<Response>
  /** Loads everything besides the redirect; other requests wait for it. */
  complete(): Promise<void>
  health: Pick<Health, 'stopping'>
  /** For queries at the start: whether there are keys, and which plans are in use. */
  storage: Pick<Storage, 'read'>
  /** The URL for creating the first account; null: it exists already. */
  openClaim(): Promise<string | null>
  /** What to close, in order, when all requests are answered. At most 5 seconds. */
  closing: readonly ShutdownStep[]
}

/** The composition root's function: opens the stores of a migrated data directory. */
export type CreateServing = (input: ServingInput) => Promise<Serving>
