import type { Command } from 'commander'
import { loadPlans } from '../../features/plans/load.ts'
import { createPlans, type Plans } from '../../features/plans/service.ts'
import { systemClock } from '../../lib/base/clock.ts'
import { createIds } from '../../lib/base/ids.ts'
import { createLogger, type Logger } from '../../lib/base/logger.ts'
import { PROGRAM_NAME } from '../../lib/base/own-program.ts'
import { systemRandom } from '../../lib/base/random.ts'
import {
  type Config,
  type Environment,
  ensureDataDir,
  listeningUrl,
  type Secrets,
  secretFile,
  type TracingConfig,
  unknownVariables,
} from '../../platform/config/index.ts'
import type { Sql } from '../../platform/storage/index.ts'
import { createLifecycle } from '../../server/operations/lifecycle.ts'
import { lockDataDir, takeOverDataDir } from '../../server/operations/lock.ts'
import { createMetrics } from '../../server/operations/metrics.ts'
import type { CreateServing, Serving, ServingInput } from '../../server/operations/serving.ts'
import type { Tracing } from '../../server/operations/tracing.ts'
import { type CommandContext, CommandError } from '../context.ts'
import { toStderr } from '../output.ts'
import { createGate, type Gate, listen, stopRequests } from './server.ts'
import { isAway, NOTHING, openServing } from './stand-by.ts'
import { connectSystemd } from './systemd.ts'

/** The timeouts of stopping, in milliseconds; with the 5 seconds of `Serving.closing`, under 10. */
const FINISH_REQUESTS_MS = 3_500
const DROP_REQUESTS_MS = 500

/** `serve`: everything in one process, until SIGTERM or SIGINT. */
export function registerServeCommand(program: Command, context: CommandContext): void {
  program
    .command('serve')
    .description('start the server (redirects, API, dashboard) on HOST:PORT (127.0.0.1:3000)')
    .option(
      '--take-over',
      'start next to a running server on the same data directory, then replace it without downtime; the running one needs --take-over too',
    )
    .action((options: ServeOptions) => serve(context, options))
}

interface ServeOptions {
  takeOver?: boolean
}

/** Resolves when it listens. @throws ConfigError, DataDirLocked, CommandError */
export async function serve(
  context: CommandContext,
  { takeOver = false }: ServeOptions = {},
  createServing: CreateServing = async (input) =>
    (await import('../../server/deps.ts')).createDeps(input),
  finishRequestsMs = FINISH_REQUESTS_MS,
): Promise<void> {
  const { config } = context.environment
  const plans = createPlans(await loadPlans(config.plansFile))
  if (config.geoipDatabase !== null) {
    const { checkGeoipDatabase } = await import('../../clicks/enrich/places.ts')
    checkGeoipDatabase(config.geoipDatabase)
  }
  ensureDataDir(config.dataDir)
  const logger = await openLogger(context.environment)
  const gate = createGate()
  let { server, lock } = takeOver
    ? await takePlace(config, gate, logger)
    : { server: undefined, lock: lockDataDir(config.dataDir) }
  const metrics = createMetrics(config.metrics)
  let opened = NOTHING
  const systemd = await connectSystemd(context.environment.systemd, logger)
  async function stop(): Promise<void> {
    systemd.stopping()
    opened.health.stopping()
    if (server === undefined) return
    const hasOthers = config.scaled !== null && config.trustedProxies.length > 0
    const answering = opened.answers ? gate : undefined
    await stopRequests(server, { gate: answering, hasOthers, withinMs: finishRequestsMs })
  }
  createLifecycle({
    logger,
    clock: systemClock,
    exit: (status) => process.exit(status),
    steps: () => [
      { name: 'requests', withinMs: finishRequestsMs + DROP_REQUESTS_MS, run: stop },
      ...opened.closing,
      { name: 'lock', withinMs: 200, run: () => lock.release() },
    ],
  }).listen(process, () => metrics.unhandledError())

  const start = await createStart(context.environment, logger)
  const first = await start.first()
  server ??= await listen(config, gate, logger)
  const url = listeningUrl(config.host, server.port ?? 0)
  let serving: Serving
  try {
    const input: ServingInput = {
      config,
      secrets: first.secrets,
      plans,
      logger,
      metrics,
      tracing: config.tracing && (await openTracing(config.tracing)),
      clock: systemClock,
      ids: createIds(systemClock, systemRandom),
      random: systemRandom,
      baseUrl: config.baseUrl ?? url,
      listenPort: server.port ?? 0,
      secretFile: start.secretFile,
    }
    serving = await openServing(
      { input, gate, first, prepare: start.again, createServing },
      (parts) => {
        opened = parts
      },
    )
    // If the database is lost now, that is handled like a later loss: it serves.
    const unlisted = await unlistedPlans(plans, serving.storage.read).catch((error) => {
      if (isAway(config, error)) return null
      throw error
    })
    if (unlisted !== null) {
      throw new CommandError(`${unlisted.problem}. ${unlisted.advice}`, 2, 'CONFIGURATION')
    }
    gate.open(serving.fetch)
    await serving.complete()
  } catch (error) {
    gate.fail(error)
    await server.stop(true)
    lock.release()
    throw error
  }
  lock.listensOn(url, config.baseUrl ?? url)
  await announce(context, serving, { url, logger })
  systemd.ready()
}

/** Listens before the other server stops: from now on visits wait for this one. */
async function takePlace(config: Config, gate: Gate, logger: Logger) {
  const server = await listen(config, gate, logger, true)
  try {
    return { server, lock: await takeOverDataDir(config.dataDir) }
  } catch (error) {
    await server.stop(true)
    throw error
  }
}

/** Loads it only where it is wanted: it is large. */
async function openTracing(tracing: TracingConfig): Promise<Tracing> {
  return (await import('../../server/operations/tracing.ts')).openTracing(tracing)
}

/** Creates the logger, and logs settings that are probably mistakes. */
async function openLogger({ config, colors, idle }: Environment): Promise<Logger> {
  const logger = await createLogger({ level: config.logLevel, format: config.logFormat, colors })
  for (const variable of unknownVariables()) logger.warn({ variable }, 'unknown setting')
  for (const { variable, needs } of idle) {
    logger.warn({ variable, needs }, 'A setting has no effect without another')
  }
  return logger
}

/** Prepares a start (tables and secrets); retried while the database is down. */
async function createStart({ config, secret }: Environment, logger: Logger) {
  const { prepare, storedSecrets } = await import('../../server/backend/prepare.ts')
  async function again(): Promise<Secrets> {
    const prepared = await prepare(config, { given: secret, isNode: true })
    for (const { database, name } of prepared.migrations) {
      logger.info({ database, migration: name }, 'Migrated')
    }
    if (prepared.isSecretStored) {
      logger.warn({}, 'The secret is kept in the database, because SLUGLINE_SECRET is not set')
    }
    return prepared.secrets
  }
  /** `failure`: the database is down, and the secrets are those stored by the node. */
  async function first(): Promise<{ secrets: Secrets; failure?: unknown }> {
    try {
      return { secrets: await again() }
    } catch (failure) {
      const secrets = isAway(config, failure) ? storedSecrets(config, secret) : null
      if (secrets === null) throw failure
      return { secrets, failure }
    }
  }
  const isOwn = secret === null && config.scaled === null
  return { first, again, secretFile: isOwn ? secretFile(config.dataDir) : null }
}

/** Prints the URL; for people also how to begin with a new instance. */
async function announce(
  { json, config, print }: CommandContext,
  { openClaim, storage }: Serving,
  { url, logger }: { url: string; logger: Logger },
): Promise<void> {
  // It already serves: losing the database now only costs these hints.
  const hint = <T>(asked: Promise<T>, otherwise: T): Promise<T> =>
    asked.catch((err) => {
      logger.warn(
        { err },
        'The database can not be queried, so hints for the first steps are left out',
      )
      return otherwise
    })
  // Standard error is often collected as a log, whose readers could claim the instance.
  const claimUrl = json || config.logFormat === 'text' ? await hint(openClaim(), null) : null
  const claim = claimUrl === null ? {} : { claim_url: claimUrl }
  print(`Slugline listens on ${url}`, { url, pid: process.pid, ...claim })
  if (json) return
  const has = async (table: 'users' | 'api_keys') =>
    (await storage.read.db.selectFrom(table).select('id').limit(1).execute()).length > 0
  /** In a log in JSON it is one of the lines. */
  const tell = (missing: string, next: string, fields: object) =>
    config.logFormat === 'json' ? logger.info(fields, missing) : toStderr(`${missing}. ${next}\n`)
  if (!(await hint(has('users'), true))) {
    const command = `${PROGRAM_NAME} users claim-link`
    const how =
      claimUrl === null
        ? `This prints the link to create the first one, which owns this instance:\n  ${command}`
        : `Create the first one, which owns this instance, at:\n  ${claimUrl}`
    tell('There is no account yet', how, { command })
  }
  if (!(await hint(has('api_keys'), true))) {
    const command = `${PROGRAM_NAME} keys create --workspace main --name first --scopes links:read,links:write`
    const { dataDir } = config
    const how = `Create one with (the data is in ${dataDir}):\n  ${command}`
    tell('There is no API key yet', how, { command, dataDir })
  }
}

/** Why `serve` refuses to start: workspaces have plans that aren't listed. Null: all are. */
export async function unlistedPlans(
  plans: Pick<Plans, 'all' | 'find'>,
  { db }: Pick<Sql, 'db'>,
): Promise<{ problem: string; advice: string } | null> {
  const used = await db.selectFrom('workspaces').select('plan_id').distinct().execute()
  const missing = used.map((row) => row.plan_id).filter((id) => plans.find(id) === undefined)
  if (missing.length === 0) return null
  const listed = plans.all.map((plan) => plan.id).join(', ')
  return {
    problem: `Workspaces have the plan ${missing.join(', ')}, which SLUGLINE_PLANS doesn't list (it lists ${listed})`,
    advice:
      'Add it to the file, or first move them: slugline workspaces list, and slugline ' +
      'workspaces set-plan NAME PLAN',
  }
}
