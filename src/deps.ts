import { createAccounts, createInvitations, createSendInvitation } from './accounts/index.ts'
import { createAdministration } from './administration.ts'
import { type App, createApp } from './app.ts'
import { createBackend } from './backend/index.ts'
import { startBackups } from './backup/schedule.ts'
import { createClientAddress } from './base/client-address.ts'
import { blocksFile, createBlocks, limitReports } from './blocks/index.ts'
import { createExcludedNetworks } from './clicks/index.ts'
import { builtFiles, createDashboard, createSharedShell } from './dashboard/index.ts'
import { DEFAULT_DOMAIN, domainsFile, syncDomains } from './domains/index.ts'
import { createLookUpTxt } from './domains/lookup.ts'
import { createDomainService } from './domains/service.ts'
import { createDomainFiles, createSiteOf } from './domains/site.ts'
import { createExplainService } from './explain/service.ts'
import { createCursors } from './http/cursor.ts'
import { createSecurityTxt } from './http/security-txt.ts'
import { createImportService } from './imports/service.ts'
import { createJobService } from './jobs/index.ts'
import { createKeyService } from './keys/service.ts'
import { createHashQueue } from './limits/index.ts'
import { createFilterJobs } from './links/bulk/job.ts'
import { createLinkService } from './links/index.ts'
import { createMailer } from './mail/mailer.ts'
import { smtp } from './mail/smtp.ts'
import { onTls } from './operations/answers.ts'
import { createHostAsk } from './operations/ask.ts'
import { diskCheck, secretCheck } from './operations/checks.ts'
import { createHealth, type Health } from './operations/health.ts'
import { onlyLinks, pathOf } from './operations/only-links.ts'
import { ownHostsOf } from './operations/own-hosts.ts'
import type { Serving, ServingInput } from './operations/serving.ts'
import { sampleDurations, summarizeRefusals } from './operations/visits.ts'
import { createOutgoing } from './outgoing/index.ts'
import {
  createGuessLimit,
  createRedirect,
  createVisitLimit,
  type Redirect,
  withSites,
} from './redirect/index.ts'
import { createShares } from './shares/index.ts'
import { createPlaceLookup } from './statistics/enrich/index.ts'
import { createStatisticsService } from './statistics/service.ts'
import { startTimers } from './timers.ts'
import { createUserService } from './users/service.ts'

/** How much later than newer clicks a node may store a click: after an outage of its database. */
const LIVE_LATE_MS = 60_000

/** What every part is made from. */
type Parts = Awaited<ReturnType<typeof openParts>>

/** The composition root: opens the stores of a migrated data directory and composes the services. */
export async function createDeps(input: ServingInput): Promise<Serving> {
  const parts = await openParts(input)
  const { backend, storage } = parts
  const services = createServices(parts)
  const { accounts, administration, jobs, keys, mailer, statistics } = services
  const health = createHealth({
    ...input,
    checks: [...backend.checks, diskCheck(input.config.dataDir), secretCheck(input.secretFile)],
  })
  const stopTimers = startTimers({ ...parts, ...services })
  const backups = startBackups(input)
  jobs.start()
  return {
    fetch: createFetch(parts, createApplication(parts, services), health),
    health: {
      stopping() {
        health.stopping()
        statistics.endStreams()
      },
    },
    storage,
    openClaim: accounts.openClaim,
    closing: [
      { name: 'timers', withinMs: 100, run: stopTimers },
      { name: 'backup', withinMs: 100, run: backups.stop },
      { name: 'journal', withinMs: 500, run: backend.closeJournal },
      {
        name: 'click worker, statistics and jobs',
        withinMs: 3_200,
        run: () => Promise.all([backend.finish(3_000), mailer.close(), jobs.stop()]),
      },
      {
        name: 'storage',
        withinMs: 1_200,
        async run() {
          await keys.close()
          await administration.requestCounts.write()
          await backend.close()
        },
      },
    ],
  }
}

/** Reads the domains and blocks. Closes the backend on failure: a node then starts again. */
async function openParts(input: ServingInput) {
  const { config, secrets, baseUrl, clock, ids } = input
  const { dataDir, scaled, shortDomains } = config
  const cursors = createCursors(secrets.cursors)
  const backend = await createBackend({ ...input, cursors })
  const { storage, nodeId } = backend
  try {
    const isOneOfMany = scaled !== null && config.baseUrl === null
    const domains = await syncDomains(storage, baseUrl, shortDomains, {
      isOneOfMany,
      file: scaled === null ? undefined : domainsFile(dataDir),
    })
    const blocks = createBlocks({
      ...{ storage, clock, ids, domains },
      hosts: config.blockedHosts,
      ...(scaled !== null && { file: blocksFile(dataDir) }),
    })
    const excluded = createExcludedNetworks(storage)
    await Promise.all([blocks.list.refresh(), excluded.refresh()])
    return {
      ...input,
      ...{ backend, storage, nodeId, domains, cursors, blocks, excluded },
      hashes: createHashQueue(),
      clientAddress: createClientAddress(config.trustedProxies),
      placeOf: createPlaceLookup({ database: config.geoipDatabase, logger: input.logger }),
    }
  } catch (error) {
    await backend.closeJournal()
    await backend.finish(0)
    await backend.close()
    throw error
  }
}

/** Answers requests by whichever part they are for; a path of no other part is a short link's. */
function createFetch(parts: Parts, app: App, health: Health): Serving['fetch'] {
  const { backend, config, baseUrl, domains, ids, metrics } = parts
  const redirect = createVisits(parts)
  backend.watch(metrics, redirect)
  const securityTxt = createSecurityTxt({ ...parts, contact: config.securityContact })
  const durations = metrics.histogram(
    'redirect_duration_seconds',
    'A sample of visits, from the request to the answer',
  )
  const visit = sampleDurations(redirect, durations)
  const domainFile = createDomainFiles({ ...parts, requestId: () => ids.next('req') })
  const isLinks = onlyLinks(domains, app.owns)
  const ask = createHostAsk({ domains, trustedProxies: config.trustedProxies })
  return (request, server) => {
    const path = pathOf(request.url)
    const peer = () => server.requestIP(request)?.address ?? ''
    // On a short domain every path may be a link's, but what speaks for the host.
    if (isLinks(path, request.url)) return visit(request, peer)
    const file = domainFile(request, path)
    if (file !== null) return file
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
      securityTxt(request, path) ??
      ask(request, path, peer)
    return watched === null ? visit(request, peer) : onTls(watched, baseUrl)
  }
}

type Services = ReturnType<typeof createServices>

/** The services behind the endpoints. */
function createServices(parts: Parts) {
  const { backend, config, secrets, domains, nodeId } = parts
  const key = secrets.accounts
  const keys = createKeyService({ ...parts, pepper: secrets.apiKeys })
  const links = createLinks(parts)
  const jobs = createJobService(parts)
  const outgoing = createOutgoing({ allowedNetworks: config.outgoingNetworks })
  const imports = createImportService({ ...parts, links, jobs, outgoing })
  const lookUpTxt = createLookUpTxt(config.dnsServers)
  const ownDomains = createDomainService({ ...parts, lookUpTxt })
  const filterJobs = createFilterJobs({ ...parts, links, jobs })
  const mailer = createMailer({ ...parts, deliver: config.mail && smtp(config.mail) })
  const sendInvitation = createSendInvitation({ mailer, key })
  const services = { keys, links, ownDomains, sendInvitation }
  const administration = createAdministration({ ...parts, ...services })
  const { workspaces, invitations } = administration
  const statistics = createStatisticsService({
    ...parts,
    reports: backend.statistics.client,
    forgetClicks: backend.forgetClicks,
    liveLateMs: nodeId === undefined ? 0 : LIVE_LATE_MS,
  })
  const accounts = createAccounts({
    ...parts,
    users: createUserService(parts),
    workspaces,
    invitations: createInvitations({ ...parts, invitations, key }),
    mailer,
    key,
    signUp: config.signUp,
    workspaceCreation: config.workspaceCreation,
    oidc: config.oidc,
    domains: domains.hosts,
    // The plans that come with Slugline only show what plans can say.
    sellsPlans:
      config.plansFile !== null && parts.plans.all.some(({ price }) => Boolean(price.amount)),
  })
  return {
    explain: createExplainService({ ...ofVisits(parts), links, inSites: inSites(parts) }),
    ...{ accounts, administration, filterJobs, imports, jobs },
    ...createShares({
      ...{ ...parts, statistics, blocks: parts.blocks.list },
      key: secrets.shares,
      guesses: createGuessLimit(backend.limiters.guesses, parts.clock),
    }),
    ...{ keys, links, mailer, ownDomains, statistics },
  }
}

function createLinks(parts: Parts) {
  const { backend, blocks, config } = parts
  return createLinkService({
    ...parts,
    ownHosts: ownHostsOf(parts),
    urlRules: { schemes: config.urlSchemes },
    blocks: blocks.list,
    peopleSoFar: backend.peopleSoFar,
    changed: backend.counting.wake,
    removed: backend.counting.linkDeleted,
  })
}

/** The API and the dashboard. */
function createApplication(parts: Parts, services: Services): App {
  const { backend, config, ids, metrics } = parts
  const { administration, keys } = services
  const baseUrl = () => parts.baseUrl
  const requestId = () => ids.next('req')
  return createApp({
    ...parts,
    ...administration,
    ...services,
    dashboard: createDashboard({ files: builtFiles, baseUrl, requestId }),
    sharedShell: createSharedShell(builtFiles),
    authenticate: keys.authenticate,
    baseUrl,
    anonymousPerMinute: config.anonymousPerMinute,
    observe(event) {
      metrics.request(event)
      const { workspaceNo, status } = event
      if (workspaceNo !== null) administration.requestCounts.note(workspaceNo, status)
    },
    limiters: backend.limiters,
  })
}

/** What the redirect works with, whether visits are real or described. */
function ofVisits(parts: Parts) {
  const { backend, blocks, ids, domains } = parts
  return {
    ...parts,
    recorder: backend.recorder,
    requestId: () => ids.next('req'),
    domainOf: (host: string) => domains.noOf(host) ?? DEFAULT_DOMAIN,
    isCaseSensitive: domains.isCaseSensitive,
    blocks: blocks.list,
  }
}

/** Gives a redirect the pages of domains. */
function inSites({ domains, storage, blocks }: Parts) {
  const { ownedAt } = domains
  const siteOf = createSiteOf(storage)
  return (redirect: Redirect) => withSites(redirect, { ownedAt, siteOf, blocks: blocks.list })
}

/** The redirect. */
function createVisits(parts: Parts): Redirect {
  const { backend, blocks, config, clock } = parts
  const redirect = createRedirect({
    ...ofVisits(parts),
    resolver: backend.resolver,
    guesses: createGuessLimit(backend.limiters.guesses, clock),
    visitLimit: createVisitLimit(config.visitsPerAddress),
    report: limitReports(blocks.reports, backend.limiters.reports, clock),
    logger: summarizeRefusals(parts.logger),
  })
  return inSites(parts)(redirect)
}
