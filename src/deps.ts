import { existsSync } from 'node:fs'
import { networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import { createAccounts, createInvitations, createSendInvitation } from './accounts/index.ts'
import { createAdministration } from './administration.ts'
import { createApp } from './app.ts'
import { createClientAddress } from './base/client-address.ts'
import { ownProgram } from './base/own-program.ts'
import {
  createPeopleSoFar,
  createRecorder,
  createSupervisor,
  createTrimmer,
  journalDirectory,
  openJournal,
  openVisitors,
} from './clicks/index.ts'
import { isWildcard } from './config/index.ts'
import { builtFiles, createDashboard } from './dashboard/index.ts'
import { DEFAULT_DOMAIN, syncDomains } from './domains/index.ts'
import { createCursors } from './http/cursor.ts'
import { purgeIdempotency } from './http/index.ts'
import { createKeyService } from './keys/index.ts'
import { createMemoryLimiter } from './limits/index.ts'
import { createLinkService } from './links/index.ts'
import { createMailer, smtp } from './mail/index.ts'
import { journalCheck, statisticsCheck, workerCheck } from './operations/click-checks.ts'
import { createHealth, diskCheck, onTls, secretCheck, storageCheck } from './operations/index.ts'
import type { Serving, ServingInput } from './operations/serving.ts'
import { watchClicks, watchProcess, watchStatistics } from './operations/watched.ts'
import type { Plans } from './plans/service.ts'
import { createEmbeddedResolver, createRedirect } from './redirect/index.ts'
import { createStatistics, statisticsFile } from './statistics/process/index.ts'
import { createStatisticsService } from './statistics/service.ts'
import { openEmbedded, type Storage } from './storage/index.ts'
import { createUserService } from './users/index.ts'

/** Guesses at a link's password from one address: five at once, then one every twelve seconds. */
const GUESSES = { ratePerMinute: 5, burst: 5 }
const PURGE_EVERY_MS = 60_000
/** The statistics process comes at least so often, to delete what plans keep no longer. */
const STATISTICS_EVERY_MS = 21_600_000

/** The composition root: opens the stores of a migrated data directory and puts all together. */
export async function createDeps(input: ServingInput): Promise<Serving> {
  const { config, secrets, plans, logger, metrics, clock, ids, random, baseUrl } = input
  const { dataDir } = config
  const storage = await openEmbedded(dataDir)
  const domains = await syncDomains(storage, baseUrl, config.shortDomains)
  const clientAddress = createClientAddress(config.trustedProxies)

  const [watermark = { segment: 0, offset: 0 }] = await storage.read.db
    .selectFrom('journal_watermark')
    .select(['segment', 'offset'])
    .execute()
  const journal = openJournal({
    directory: journalDirectory(dataDir),
    after: watermark.segment,
    logger,
    recovered: pokeReaders,
  })
  const visitors = openVisitors({ file: resolve(dataDir, 'salts'), clock, random, logger })
  const supervisor = createSupervisor({
    command: ownProgram('click-worker', '--data-dir', dataDir),
    journal,
    watermark,
    clock,
    logger,
    counted: () => trimmer.trim(),
  })
  const statistics = createStatistics({
    command: ownProgram('statistics', '--data-dir', dataDir),
    journal,
    clock,
    logger,
    retention: () => retentionOf(storage, plans),
    advanced: () => trimmer.trim(),
  })
  const trimmer = createTrimmer({
    directory: journalDirectory(dataDir),
    watermarks: () => [supervisor.state().watermark, statistics.state().watermark],
    logger,
  })
  const recorder = createRecorder(journal, visitors, pokeReaders)
  function pokeReaders(): void {
    supervisor.poke()
    statistics.poke()
  }

  const keys = createKeyService({ storage, clock, ids, random, pepper: secrets.apiKeys, plans })
  const base = new URL(baseUrl)
  const cursors = createCursors(secrets.cursors)
  const links = createLinkService({
    storage,
    clock,
    ids,
    random,
    cursors,
    domains,
    ownHosts: {
      hosts: domains.hosts,
      addresses: isWildcard(config.host) ? machineAddresses() : [config.host],
      listenPort: input.listenPort,
      basePort: Number(base.port) || (base.protocol === 'https:' ? 443 : 80),
    },
    urlRules: { schemes: config.urlSchemes, blockedHosts: config.blockedHosts },
    peopleSoFar: createPeopleSoFar(dataDir, storage.reader.raw, journal),
    changed: supervisor.poke,
    removed: supervisor.linkGone,
  })

  const mailer = createMailer({ deliver: config.mail && smtp(config.mail), baseUrl, logger })
  const administration = createAdministration({
    storage,
    clock,
    ids,
    random,
    plans,
    cursors,
    keys,
    links,
    logger,
    sendInvitation: createSendInvitation({ mailer, key: secrets.accounts }),
  })

  const statisticsService = createStatisticsService({
    reports: statistics.client,
    storage,
    domains,
    cursors: createCursors(secrets.cursors),
    clock,
  })

  const accounts = createAccounts({
    storage,
    clock,
    ids,
    random,
    logger,
    plans,
    users: createUserService({
      storage,
      clock,
      ids,
      random,
      workspaces: administration.workspaces,
    }),
    workspaces: administration.workspaces,
    invitations: createInvitations({
      storage,
      clock,
      invitations: administration.invitations,
      key: secrets.accounts,
    }),
    mailer,
    key: secrets.accounts,
    baseUrl,
    signUp: config.signUp,
    oidc: config.oidc,
    domains: domains.hosts,
  })

  const app = createApp({
    ...administration,
    accounts,
    dashboard: createDashboard({
      files: builtFiles,
      baseUrl: () => baseUrl,
      requestId: () => ids.next('req'),
    }),
    storage,
    clock,
    logger,
    ids,
    authenticate: keys.authenticate,
    clientAddress,
    baseUrl: () => baseUrl,
    anonymousPerMinute: config.anonymousPerMinute,
    observe(event) {
      metrics.request(event)
      const { workspaceNo, status } = event
      if (workspaceNo !== null) administration.requestCounts.note(workspaceNo, status)
    },
    plans,
    links,
    statistics: statisticsService,
  })

  const guesses = createMemoryLimiter()
  const redirect = createRedirect({
    resolver: createEmbeddedResolver(storage.reader.raw),
    recorder,
    storage,
    clock,
    requestId: () => ids.next('req'),
    baseUrl,
    domainOf: (host) => domains.noOf(host) ?? DEFAULT_DOMAIN,
    clientAddress,
    takeGuess(key) {
      const { allowed, retryAfterMs } = guesses.take(key, GUESSES, clock.now())
      return { allowed, retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)) }
    },
    logger,
  })

  const health = createHealth({
    checks: [
      storageCheck(storage),
      journalCheck(journal),
      workerCheck(supervisor),
      statisticsCheck(statistics),
      diskCheck(dataDir),
      secretCheck(input.secretFile),
    ],
    clock,
    logger,
  })
  watchClicks(metrics, { journal, supervisor, redirect })
  watchStatistics(metrics, statistics)
  watchProcess(metrics, { dataDir })

  const purging = setInterval(() => {
    purgeIdempotency(storage, clock.now()).catch((err) =>
      logger.warn({ err }, 'Old idempotency records could not be deleted'),
    )
    void administration.purge()
    accounts.purge().catch((err) => logger.warn({ err }, 'Old sessions could not be deleted'))
  }, PURGE_EVERY_MS)
  purging.unref()
  const keeping = setInterval(() => {
    if (existsSync(statisticsFile(dataDir))) statistics.retentionChanged()
  }, STATISTICS_EVERY_MS)
  keeping.unref()

  return {
    fetch(request, server) {
      const path = pathOf(request.url)
      const peer = () => server.requestIP(request)?.address ?? ''
      if (app.owns(path)) {
        return app.fetch(request, {
          get peer() {
            return peer()
          },
        })
      }
      const watched =
        health.answer(request, path) ??
        metrics.answer(request, path, path === '/metrics' ? peer() : '')
      return watched === null ? redirect.fetch(request, peer) : onTls(watched, baseUrl)
    },
    health: {
      stopping() {
        health.stopping()
        statisticsService.endStreams()
      },
    },
    storage,
    openClaim: accounts.openClaim,
    closing: [
      {
        name: 'timers',
        withinMs: 100,
        run() {
          clearInterval(purging)
          clearInterval(keeping)
        },
      },
      { name: 'journal', withinMs: 500, run: () => journal.close() },
      {
        name: 'click worker and statistics',
        withinMs: 3_200,
        async run() {
          await Promise.all([supervisor.stop(3_000), statistics.stop(3_000), mailer.close()])
          await trimmer.close()
        },
      },
      {
        name: 'storage',
        withinMs: 1_200,
        async run() {
          visitors.close()
          await keys.close()
          await storage.close()
        },
      },
    ],
  }
}

function machineAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((cards) =>
    (cards ?? []).map(({ address }) => address),
  )
}

/** Days for which each workspace's plan keeps its clicks. */
async function retentionOf(storage: Storage, plans: Plans) {
  const rows = await storage.reports.db.selectFrom('workspaces').select(['no', 'plan_id']).execute()
  return rows.map(
    ({ no, plan_id }) => [no, plans.of(plan_id).limits.analytics_retention_days] as const,
  )
}

/** Without the query; cheap, for every visit passes here. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.startsWith('/') ? 0 : url.indexOf('//') + 2)
  if (start < 0) return '/'
  const end = url.indexOf('?', start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}
