import type { Command } from 'commander'
import { systemClock } from '../base/clock.ts'
import { createIds } from '../base/ids.ts'
import { createLogger } from '../base/logger.ts'
import { PROGRAM_NAME } from '../base/own-program.ts'
import { systemRandom } from '../base/random.ts'
import {
  type Config,
  ensureDataDir,
  listeningUrl,
  type Secrets,
  secretFile,
  unknownVariables,
} from '../config/index.ts'
import { createLifecycle, createMetrics, lockDataDir } from '../operations/index.ts'
import type { CreateServing, Serving, ServingInput } from '../operations/serving.ts'
import { loadPlans } from '../plans/load.ts'
import { createPlans, type Plans } from '../plans/service.ts'
import type { Storage } from '../storage/index.ts'
import { type CommandContext, CommandError } from './context.ts'
import type { MutableContext } from './create-context.ts'
import { listen } from './listen.ts'
import { toStderr } from './output.ts'
import { unlistedPlans } from './plans-in-use.ts'
import { isAway, standBy } from './stand-by.ts'
import { stopRequests } from './stop-requests.ts'

/** Longest times of stopping, in milliseconds; with the 5 seconds of `Serving.closing`, under 10. */
const FINISH_REQUESTS_MS = 3_500
const DROP_REQUESTS_MS = 500

/** What has to be closed. */
type Opened = Pick<Serving, 'health' | 'closing'> & Partial<Pick<Serving, 'fetch'>>
/** As long as a start hasn't come far. */
const NOTHING: Opened = { health: { stopping() {} }, closing: [] }

/** `serve`: everything in one process, until SIGTERM or SIGINT. */
export function registerServeCommand(program: Command, context: MutableContext): void {
  program
    .command('serve')
    .description('answer redirects and the API on HOST:PORT (127.0.0.1:3000)')
    .action(() => serve(context))
}

/** Resolves when it listens. @throws ConfigError, DataDirLocked, CommandError */
export async function serve(
  context: MutableContext,
  createServing: CreateServing = async (input) => (await import('../deps.ts')).createDeps(input),
  finishRequestsMs = FINISH_REQUESTS_MS,
): Promise<void> {
  const { config, secret, colors, idle } = context.environment
  const plans = createPlans(await loadPlans(config.plansFile))
  if (config.geoipDatabase !== null) {
    const { checkGeoipDatabase } = await import('../statistics/enrich/check.ts')
    checkGeoipDatabase(config.geoipDatabase)
  }
  ensureDataDir(config.dataDir)
  const lock = lockDataDir(config.dataDir)
  const logger = await createLogger({ level: config.logLevel, format: config.logFormat, colors })
  for (const variable of unknownVariables()) logger.warn({ variable }, 'There is no such setting')
  for (const { variable, needs } of idle) {
    logger.warn({ variable, needs }, 'A setting does nothing without another')
  }
  const { prepare, rememberedSecrets } = await import('../backend/prepare.ts')
  const start = async (): Promise<Secrets> => {
    const prepared = await prepare(config, { given: secret, isNode: true })
    for (const { database, name } of prepared.migrations) {
      logger.info({ database, migration: name }, 'Migrated')
    }
    if (prepared.isSecretStored) {
      logger.warn({}, 'The secret lies in the database: SLUGLINE_SECRET is not set')
    }
    return prepared.secrets
  }
  const metrics = createMetrics(config.metrics)
  let server: ReturnType<typeof listen> | undefined
  let opened = NOTHING
  createLifecycle({
    logger,
    clock: systemClock,
    exit: (status) => process.exit(status),
    steps: () => [
      {
        name: 'requests',
        withinMs: finishRequestsMs + DROP_REQUESTS_MS,
        async run() {
          opened.health.stopping()
          if (server === undefined) return
          const hasOthers = config.scaled !== null && config.trustedProxies.length > 0
          await stopRequests(server, { fetch: opened.fetch, hasOthers, withinMs: finishRequestsMs })
        },
      },
      ...opened.closing,
      { name: 'lock', withinMs: 200, run: () => lock.release() },
    ],
  }).listen(process, () => metrics.unhandledError())

  let away: unknown
  let secrets = await start().catch((error) => {
    const remembered = isAway(config, error) ? rememberedSecrets(config, secret) : null
    if (remembered === null) throw error
    away = error
    return remembered
  })
  const starting = Promise.withResolvers<Serving>()
  const standingBy = Promise.withResolvers<Pick<Serving, 'fetch'>>()
  const first = Promise.race([starting.promise, standingBy.promise])
  first.catch(() => {})
  server = listen(config, first)
  const url = listeningUrl(config.host, server.port as number)
  let serving: Serving
  try {
    const input: ServingInput = {
      config,
      secrets,
      plans,
      logger,
      metrics,
      clock: systemClock,
      ids: createIds(systemClock, systemRandom),
      random: systemRandom,
      baseUrl: config.baseUrl ?? url,
      listenPort: server.port as number,
      secretFile: secret === null && config.scaled === null ? secretFile(config.dataDir) : null,
    }
    if (away !== undefined) {
      const hold: Serving['fetch'] = async (...visit) => (await starting.promise).fetch(...visit)
      const ready = (standby: Pick<Serving, 'fetch'> & Opened) => {
        opened = standby
        standingBy.resolve(standby)
      }
      secrets = await standBy({ input, server, start, ready, hold }, away)
      opened = NOTHING
    }
    serving = await createServing({ ...input, secrets })
    opened = serving
    await assertPlansKnown(plans, serving.storage)
  } catch (error) {
    starting.reject(error)
    await server.stop(true)
    lock.release()
    throw error
  }
  starting.resolve(serving)
  server.reload({ fetch: serving.fetch })
  lock.listensOn(url, config.baseUrl ?? url)

  // It serves from here on: a database that is lost now only costs these hints.
  const hint = <T>(asked: Promise<T>, otherwise: T): Promise<T> =>
    asked.catch((err) => {
      logger.warn({ err }, 'The first steps are unknown: the database can not be asked')
      return otherwise
    })
  // Standard error is often collected as a log, where the link would let any reader be first.
  const isShown = context.json || config.logFormat === 'text'
  const claimUrl = isShown ? await hint(serving.openClaim(), null) : null
  const claim = claimUrl === null ? {} : { claim_url: claimUrl }
  context.print(`Slugline listens on ${url}`, { url, pid: process.pid, ...claim })
  if (!context.json) await hint(tellClaim(serving, claimUrl), undefined)
  if (!(await hint(hasApiKeys(serving.storage), true))) tellFirstStep(context, config)
}

/** Where, or by what command, the first account is made. */
async function tellClaim({ storage }: Serving, claimUrl: string | null): Promise<void> {
  const [user] = await storage.read.db.selectFrom('users').select('id').limit(1).execute()
  if (user !== undefined) return
  const what =
    claimUrl === null
      ? `This prints the link to make the first one, which owns this instance:\n  ${PROGRAM_NAME} users claim-link`
      : `Make the first one, which owns this instance, at:\n  ${claimUrl}`
  toStderr(`There is no account yet. ${what}\n`)
}

/** The first step with an instance that has no API key. */
function tellFirstStep({ json }: CommandContext, { dataDir }: Config): void {
  if (json) return
  const command = `${PROGRAM_NAME} keys create --workspace main --name first --scopes links:read,links:write`
  toStderr(`There is no API key yet. Make one with (the data lies in ${dataDir}):\n  ${command}\n`)
}

async function hasApiKeys({ read }: Pick<Storage, 'read'>): Promise<boolean> {
  return (await read.db.selectFrom('api_keys').select('id').limit(1).execute()).length > 0
}

/** @throws CommandError for a plan that workspaces have and the plans file lacks. */
async function assertPlansKnown(plans: Plans, { read }: Pick<Storage, 'read'>): Promise<void> {
  const unlisted = await unlistedPlans(plans, read)
  if (unlisted === null) return
  throw new CommandError(`${unlisted.problem}. ${unlisted.advice}`, 2, 'CONFIGURATION')
}
