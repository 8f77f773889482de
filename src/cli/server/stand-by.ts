import type { Config, Secrets } from '../../platform/config/index.ts'
import { StorageUnavailable } from '../../platform/storage/storage.ts'
import type { CreateServing, Serving, ServingInput } from '../../server/operations/serving.ts'
import type { Gate } from './server.ts'

const RETRY_MS = 1_000

/** Whether a start failed only because the shared database is down. */
export function isAway({ scaled }: Pick<Config, 'scaled'>, error: unknown): boolean {
  return scaled !== null && error instanceof StorageUnavailable
}

/** What has to be closed when the process stops. */
type Opened = Pick<Serving, 'health' | 'closing'> & { answers: boolean }
/** Nothing is open yet. */
export const NOTHING: Opened = { health: { stopping() {} }, closing: [], answers: false }

/** A start, which may have to wait for its database. */
interface Start {
  input: ServingInput
  gate: Gate
  /** `failure`: the database was down at the first attempt; the secrets are stored ones. */
  first: { secrets: Secrets; failure?: unknown }
  /** Connects to the database; returns the secrets. */
  prepare: () => Promise<Secrets>
  createServing: CreateServing
}

/**
 * Composes the server. While the database is down, a node redirects links in memory, and retries.
 * @param opened called with what has to be closed if the process stops in the meantime
 * @throws the failure of the first attempt if no links are in memory; errors with another cause
 */
export async function openServing(start: Start, opened: (parts: Opened) => void): Promise<Serving> {
  const { input, first, createServing } = start
  let { secrets, failure } = first
  for (;;) {
    if (failure !== undefined) secrets = await standBy(start, failure, opened)
    try {
      const serving = await createServing({ ...input, secrets })
      opened({ ...serving, answers: true })
      return serving
    } catch (error) {
      if (!isAway(input.config, error)) throw error
      failure = error
    }
  }
}

/** Waits for the database; a node without links in memory holds requests. */
async function standBy(
  { input, gate, first, prepare }: Start,
  failure: unknown,
  opened: (parts: Opened) => void,
): Promise<Secrets> {
  const { config, logger } = input
  const { openStandby } = await import('../../server/backend/standby.ts')
  const standby = await openStandby(input)
  // The database was never reachable: its URL may be wrong.
  if (standby === null && failure === first.failure) throw failure
  const links = standby?.links ?? 0
  logger.warn({ links }, 'The database is down: only cached links are redirected')
  let isStopping = false
  const stopping = () => {
    isStopping = true
    standby?.health.stopping()
  }
  const close = { name: 'journal', withinMs: 500, run: () => standby?.close() }
  opened({ health: { stopping }, closing: [close], answers: standby !== null })
  if (standby !== null) gate.open(standby.fetch)
  try {
    for (let tries = 1; ; tries++) {
      await Bun.sleep(RETRY_MS)
      const secrets = await prepare().catch((error) => {
        if (isAway(config, error)) return null
        throw error
      })
      // The process is about to end: nothing more is opened.
      if (isStopping) await new Promise(() => {})
      if (secrets !== null) {
        logger.info({ links, tries }, 'The database is up: the start continues')
        return secrets
      }
      logger.warn({ tries }, 'The database is down: the start waits')
    }
  } finally {
    if (standby !== null) {
      gate.hold()
      await standby.close()
    }
    opened(NOTHING)
  }
}
