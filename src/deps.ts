import { networkInterfaces } from 'node:os'
import { createAccounts, createInvitations, createSendInvitation } from './accounts/index.ts'
import { createAdministration } from './administration.ts'
import { createApp } from './app.ts'
import { createBackend } from './backend/index.ts'
import { createClientAddress } from './base/client-address.ts'
import { blocksFile, createBlocks } from './blocks/index.ts'
import { isWildcard } from './config/index.ts'
import { builtFiles, createDashboard } from './dashboard/index.ts'
import { DEFAULT_DOMAIN, domainsFile, rememberDomains, syncDomains } from './domains/index.ts'
import { createCursors } from './http/cursor.ts'
import { purgeIdempotency } from './http/index.ts'
import { addressKey } from './http/rate-limit.ts'
import { createKeyService } from './keys/index.ts'
import { createLinkService } from './links/index.ts'
import { createMailer, smtp } from './mail/index.ts'
import { createHealth, createHostAsk, diskCheck, onTls, secretCheck } from './operations/index.ts'
import type { Serving, ServingInput } from './operations/serving.ts'
import { createRedirect } from './redirect/index.ts'
import { createStatisticsService } from './statistics/service.ts'
import { createUserService } from './users/index.ts'

/** Guesses at a link's password from one address: five at once, then one every twelve seconds. */
const GUESSES = { ratePerMinute: 5, burst: 5 }
/** Reports of visitors from one address, of IPv6 from one /64: five at once, then one every ten minutes. */
const REPORTS = { ratePerMinute: 0.1, burst: 5 }
/** Blocks that another node or a command has made are obeyed within a second. */
const BLOCKS_EVERY_MS = 500
const PURGE_EVERY_MS = 60_000
/** The statistics process comes at least so often, to delete what plans keep no longer. */
const STATISTICS_EVERY_MS = 21_600_000

/** The composition root: opens the stores of a migrated data directory and puts all together. */
export async function createDeps(input: ServingInput): Promise<Serving> {
  const { config, secrets, plans, logger, metrics, clock, ids, random, baseUrl } = input
  const cursors = createCursors(secrets.cursors)
  const backend = await createBackend({ ...input, cursors })
  const { storage } = backend
  const domains = await syncDomains(
    storage,
    baseUrl,
    config.shortDomains,
    config.scaled !== null && config.baseUrl === null,
  )
  if (config.scaled !== null) rememberDomains(domainsFile(config.dataDir), domains)
  const clientAddress = createClientAddress(config.trustedProxies)

  const blocks = createBlocks({
    ...{ storage, clock, ids, domains },
    hosts: config.blockedHosts,
    ...(config.scaled !== null && { file: blocksFile(config.dataDir) }),
  })
  await blocks.list.refresh()

  const keys = createKeyService({ storage, clock, ids, random, pepper: secrets.apiKeys, plans })
  const base = new URL(baseUrl)
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
    urlRules: { schemes: config.urlSchemes },
    blocks: blocks.list,
    peopleSoFar: backend.peopleSoFar,
    changed: backend.counting.poke,
    removed: backend.counting.linkGone,
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
    reports: backend.statistics.client,
    storage,
    domains,
    cursors,
    clock,
  })

  const accounts = createAccounts({
    storage,
    nodeId: backend.nodeId,
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
    blocks,
    statistics: statisticsService,
    limiters: backend.limiters,
  })

  const { guesses, reports } = backend.limiters
  const redirect = createRedirect({
    resolver: backend.resolver,
    recorder: backend.recorder,
    storage,
    clock,
    requestId: () => ids.next('req'),
    baseUrl,
    domainOf: (host) => domains.noOf(host) ?? DEFAULT_DOMAIN,
    clientAddress,
    async takeGuess(key) {
      const { allowed, retryAfterMs } = await guesses.take(key, GUESSES, clock.now())
      return { allowed, retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)) }
    },
    blocks: blocks.list,
    async report({ domainNo, slugKey, text, from }) {
      const { allowed, retryAfterMs } = await reports.take(addressKey(from), REPORTS, clock.now())
      if (allowed) await blocks.reports.add(domainNo, slugKey, text)
      return { allowed, retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)) }
    },
    logger,
  })

  const health = createHealth({
    checks: [...backend.checks, diskCheck(config.dataDir), secretCheck(input.secretFile)],
    clock,
    logger,
  })
  backend.watch(metrics, redirect)
  const ask = createHostAsk({ hosts: domains.hosts, trustedProxies: config.trustedProxies })

  const purging = setInterval(() => {
    purgeIdempotency(storage, clock.now()).catch((err) =>
      logger.warn({ err }, 'Old idempotency records could not be deleted'),
    )
    void administration.purge()
    accounts.purge().catch((err) => logger.warn({ err }, 'Old sessions could not be deleted'))
  }, PURGE_EVERY_MS)
  purging.unref()
  // While the database is away, the blocks that are known stay.
  const blocking = setInterval(() => blocks.list.refresh().catch(() => {}), BLOCKS_EVERY_MS)
  blocking.unref()
  const keeping = setInterval(() => backend.statistics.retentionChanged(), STATISTICS_EVERY_MS)
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
        metrics.answer(request, path, path === '/metrics' ? peer() : '') ??
        ask(request, path, peer)
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
          clearInterval(blocking)
        },
      },
      { name: 'journal', withinMs: 500, run: () => backend.closeJournal() },
      {
        name: 'click worker and statistics',
        withinMs: 3_200,
        async run() {
          await Promise.all([backend.finish(3_000), mailer.close()])
        },
      },
      {
        name: 'storage',
        withinMs: 1_200,
        async run() {
          await keys.close()
          await backend.close()
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

/** Without the query; cheap, for every visit passes here. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.startsWith('/') ? 0 : url.indexOf('//') + 2)
  if (start < 0) return '/'
  const end = url.indexOf('?', start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}
