import type { Config, Secrets } from '../config/index.ts'
import type { Serving, ServingInput } from '../operations/serving.ts'
import type { Gate } from './server.ts'

const RETRY_MS = 1_000

/** Whether a start failed only because the database that nodes share is away. */
export function isAway({ scaled }: Pick<Config, 'scaled'>, error: unknown): boolean {
  // By its name: its module needn't be loaded before it is known which database it is.
  return scaled !== null && error instanceof Error && error.name === 'StorageUnavailable'
}

/**
 * Lets a node redirect what it remembers until its database is there.
 * @param start connects to the database; gives the secrets
 * @param opened called with what has to be closed if the process stops meanwhile
 * @throws `failure` where nothing is remembered; errors of `start` with another cause
 */
export async function standBy(
  { input, gate, failure }: { input: ServingInput; gate: Gate; failure: unknown },
  start: () => Promise<Secrets>,
  opened: (standby: Pick<Serving, 'health' | 'closing'>) => void,
): Promise<Secrets> {
  const { openStandby } = await import('../backend/standby.ts')
  const standby = await openStandby(input)
  if (standby === null) throw failure
  const { links } = standby
  input.logger.warn({ links }, 'The database is away: only remembered links are redirected')
  let isStopping = false
  const stopping = () => {
    isStopping = true
    standby.health.stopping()
  }
  const close = { name: 'journal', withinMs: 500, run: () => standby.close() }
  opened({ health: { stopping }, closing: [close] })
  gate.open(standby.fetch)
  let secrets: Secrets | null = null
  try {
    while (secrets === null) {
      await Bun.sleep(RETRY_MS)
      secrets = await start().catch((error) => {
        if (isAway(input.config, error)) return null
        throw error
      })
      // The process is about to end: nothing more is opened.
      if (isStopping) await new Promise(() => {})
    }
  } finally {
    gate.hold()
    await standby.close()
  }
  input.logger.info({ links }, 'The database is there: the start continues')
  return secrets
}
