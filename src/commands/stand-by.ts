import type { Config, Secrets } from '../config/index.ts'
import type { Serving, ServingInput } from '../operations/serving.ts'

/** How often the database is tried. */
const TRY_EVERY_MS = 1_000

/** The part of a server that changes what answers. */
interface Server {
  reload(options: { fetch: Serving['fetch'] }): unknown
}

/** Whether a start failed only because the database that nodes share is away. */
export function isAway({ scaled }: Pick<Config, 'scaled'>, error: unknown): boolean {
  // By its name: its module needn't be loaded before it is known which database it is.
  return scaled !== null && error instanceof Error && error.name === 'StorageUnavailable'
}

/** A start that waits for the database. */
interface WaitingStart {
  input: ServingInput
  server: Server
  /** Tries the database; gives what is known by it. */
  start: () => Promise<Secrets>
  /** Told who answers the requests that have come already, and how that ends. */
  ready: (standby: Pick<Serving, 'fetch' | 'health' | 'closing'>) => void
  /** Answers those that come when the start goes on. */
  hold: Serving['fetch']
}

/**
 * Lets a node redirect what it remembers until its database is there.
 * @throws `failure` where nothing is remembered; what else `start` fails with.
 */
export async function standBy(
  { input, server, start, ready, hold }: WaitingStart,
  failure: unknown,
): Promise<Secrets> {
  const { openStandby } = await import('../backend/standby.ts')
  const standby = await openStandby(input)
  if (standby === null) throw failure
  const { links } = standby
  input.logger.warn({ links }, 'The database is away: only remembered links are redirected')
  server.reload({ fetch: standby.fetch })
  let isStopping = false
  ready({
    fetch: standby.fetch,
    health: {
      stopping() {
        isStopping = true
        standby.health.stopping()
      },
    },
    closing: [{ name: 'journal', withinMs: 500, run: () => standby.close() }],
  })
  let secrets: Secrets | null = null
  try {
    while (secrets === null) {
      await Bun.sleep(TRY_EVERY_MS)
      secrets = await start().catch((error) => {
        if (isAway(input.config, error)) return null
        throw error
      })
      // The process is about to end: nothing more is opened.
      if (isStopping) await new Promise(() => {})
    }
  } finally {
    server.reload({ fetch: hold })
    await standby.close()
  }
  input.logger.info({ links }, 'The database is there: the start goes on')
  return secrets
}
