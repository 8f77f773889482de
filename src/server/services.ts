import { createCallers } from '../features/accounts/callers.ts'
import {
  createAccounts,
  createInvitations,
  createSendInvitation,
} from '../features/accounts/index.ts'
import { createBlocks } from '../features/blocks/index.ts'
import { createLookUpTxt } from '../features/domains/lookup.ts'
import { createDomainService } from '../features/domains/service.ts'
import { createDomainSetup, setupDeps } from '../features/domains/setup.ts'
import { createEventService } from '../features/events/service.ts'
import { createEventStreams } from '../features/events/streams.ts'
import { createTimedEvents } from '../features/events/timed.ts'
import { createUsageEvents } from '../features/events/usage.ts'
import { createExplainService } from '../features/explain/service.ts'
import { createImportService } from '../features/imports/service.ts'
import { createJobService } from '../features/jobs/index.ts'
import { createKeyService } from '../features/keys/service.ts'
import { createFilterJobs } from '../features/links/bulk/job.ts'
import { createLinkService, createRenderer } from '../features/links/index.ts'
import { createPageDetails } from '../features/page-details/service.ts'
import { createUserService } from '../features/users/service.ts'
import { createWebhookServices } from '../features/webhooks/index.ts'
import { builtFiles, createDashboard, createSharedShell } from '../http/dashboard/index.ts'
import { createMailer, MAIL_RESULTS } from '../platform/mail/mailer.ts'
import { smtp } from '../platform/mail/smtp.ts'
import { createOutgoing } from '../platform/outgoing/index.ts'
import { createGuessLimit } from '../redirect/index.ts'
import { createStatisticsService } from '../statistics/service.ts'
import { createShares } from '../statistics/shares/index.ts'
import { createAdministration } from './administration.ts'
import { type App, createApp } from './app.ts'
import { ownHostsOf } from './operations/own-hosts.ts'
import { watchServices } from './operations/watched.ts'
import { ofVisits, type Parts } from './parts.ts'
import { startTimers } from './timers.ts'

/** How late a node may store a click, relative to newer clicks: after an outage of its database. */
const LIVE_LATE_MS = 60_000

/** Starts the services behind the endpoints, with their timers, and the application. */
export function openServices(parts: Parts) {
  const services = createServices(parts)
  const stopTimers = startTimers({ ...parts, ...services })
  services.jobs.start()
  const { webhookSender: sender } = services
  parts.metrics.counter('webhook_requests_total', 'Requests of webhooks, by result', () =>
    Object.entries(sender.counts).map(([result, count]) => [`result="${result}"`, count]),
  )
  parts.metrics.gauge('webhooks_served', 'Webhooks that this node serves now', sender.served)
  watchServices(parts.metrics, services)
  void sender.start()
  return { ...services, app: createApplication(parts, services), stopTimers }
}

function createServices(parts: Parts) {
  const { backend, config, metrics, secrets, domains, nodeId } = parts
  const key = secrets.accounts
  const keys = createKeyService({ ...parts, pepper: secrets.apiKeys })
  const links = createLinks(parts)
  const callers = createCallers({ ...parts, keys })
  const jobs = createJobService({
    ...parts,
    limiter: backend.limiters.api,
    callerOf: callers.callerOf,
    ended: metrics.tally('jobs_ended_total', 'Jobs that ended here, by type and status', []),
  })
  const outgoing = createOutgoing({ allowedNetworks: config.outgoingNetworks })
  const imports = createImportService({ ...parts, links, jobs, outgoing })
  const lookUpTxt = createLookUpTxt(config.dnsServers)
  const domainSetup = createDomainSetup({ ...parts, ...setupDeps(config, secrets) })
  const ownDomains = createDomainService({ ...parts, lookUpTxt })
  const filterJobs = createFilterJobs({ links, jobs })
  const mailer = createMailer({
    ...parts,
    deliver: config.mail && smtp(config.mail),
    ended: metrics.tally('mails_total', 'Messages by what became of them', MAIL_RESULTS),
  })
  const sendInvitation = createSendInvitation({ mailer, key })
  const services = { keys, links, ownDomains, sendInvitation }
  const administration = createAdministration({ ...parts, ...services })
  const statistics = createStatisticsService({
    ...parts,
    reports: backend.statistics.client,
    forgetClicks: backend.forgetClicks,
    liveLateMs: nodeId === undefined ? 0 : LIVE_LATE_MS,
  })
  const accounts = openAccounts(parts, administration, mailer)
  const events = createEventService(parts)
  const { eventSignal } = backend
  const { clicksThisMonth } = administration
  const render = createRenderer(domains, parts.blocks)
  return {
    events,
    ...createWebhookServices({
      ...parts,
      events,
      eventSignal,
      jobs,
      mailer,
      outgoing,
      callerOf: callers.callerOf,
      readClicks: statistics.recorded,
    }),
    timedEvents: createTimedEvents({ ...parts, render }),
    usageEvents: createUsageEvents({ ...parts, ownDomains, clicksThisMonth }),
    eventStreams: createEventStreams({ ...parts, events, eventSignal }),
    domainSetup,
    pageDetails: createPageDetails({ outgoing }),
    explain: createExplainService({ ...ofVisits(parts), links }),
    blocks: createBlocks({ ...parts, list: parts.blocks }),
    accounts,
    administration,
    callers,
    filterJobs,
    imports,
    jobs,
    ...createShares({
      ...parts,
      statistics,
      key: secrets.shares,
      guesses: createGuessLimit(backend.limiters.guesses, parts.clock),
    }),
    keys,
    links,
    mailer,
    ownDomains,
    statistics,
  }
}

function openAccounts(
  parts: Parts,
  { workspaces, invitations }: ReturnType<typeof createAdministration>,
  mailer: ReturnType<typeof createMailer>,
) {
  const { config, metrics, secrets, domains } = parts
  const key = secrets.accounts
  return createAccounts({
    ...parts,
    users: createUserService(parts),
    workspaces,
    invitations: createInvitations({ ...parts, invitations, key }),
    mailer,
    key,
    signUp: config.signUp,
    workspaceCreation: config.workspaceCreation,
    oidc: config.oidc,
    signInFailed: metrics.tally('sign_in_failures_total', 'Refused sign-ins, by code', [
      'code="SIGN_IN_FAILED"',
    ]),
    domains: domains.hosts,
    // The built-in plans are only examples.
    sellsPlans:
      config.plansFile !== null && parts.plans.all.some(({ price }) => Boolean(price.amount)),
  })
}

function createLinks(parts: Parts) {
  const { backend, config } = parts
  return createLinkService({
    ...parts,
    ownHosts: ownHostsOf(parts),
    urlRules: { schemes: config.urlSchemes },
    assertCountersComplete: backend.assertCountersComplete,
    changed: backend.counting.wake,
    countersOutdated: backend.counting.linkChanged,
  })
}

/** The API and the dashboard. */
function createApplication(parts: Parts, services: ReturnType<typeof createServices>): App {
  const { backend, config, ids, metrics, baseUrl, tracing } = parts
  const { administration, callers } = services
  const requestId = () => ids.next('req')
  const { caughtUp } = backend
  return createApp({
    ...parts,
    ...administration,
    ...services,
    dashboard: createDashboard({ files: builtFiles, baseUrl, requestId }),
    sharedShell: createSharedShell(builtFiles),
    authenticate: callers.authenticate,
    anonymousPerMinute: config.anonymousPerMinute,
    observers: [
      metrics.request,
      administration.requestCounts.note,
      ...(tracing === null ? [] : [tracing.answered]),
    ],
    limiters: backend.limiters,
    caughtUp:
      caughtUp &&
      (() => Promise.all([caughtUp(), parts.blocks.refresh(), parts.domains.refresh()])),
  })
}
