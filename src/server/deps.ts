import { limitReports } from '../features/blocks/reports.ts'
import { createDomainFiles } from '../features/domains/site.ts'
import type { RequestInfo } from '../http/index.ts'
import { createSecurityTxt } from '../http/security-txt.ts'
import {
  createGuessLimit,
  createRedirect,
  createVisitLimit,
  type Redirect,
} from '../redirect/index.ts'
import { onTls } from './operations/answers.ts'
import { startBackups } from './operations/backup-schedule.ts'
import { diskCheck, secretCheck } from './operations/checks.ts'
import { createHealth, type Health } from './operations/health.ts'
import { createHostCheck } from './operations/host-check.ts'
import { isOwn, onlyLinks, pathOf } from './operations/only-links.ts'
import type { Serving, ServingInput } from './operations/serving.ts'
import type { Tracing } from './operations/tracing.ts'
import { sampleDurations, summarizeRefusals } from './operations/visits.ts'
import { watchHealth } from './operations/watched.ts'
import { ofVisits, openParts, type Parts } from './parts.ts'

/** The application and its services, loaded later. */
type Load = () => Promise<ReturnType<typeof import('./services.ts').openServices>>

/**
 * The composition root: opens the stores of a migrated data directory. Redirects need little of the
 * program, so they are served first, and the rest is loaded later, which takes three times as long.
 */
export async function createDeps(input: ServingInput): Promise<Serving> {
  const parts = await openParts(input)
  const { backend, storage } = parts
  let loading: ReturnType<Load> | undefined
  const load: Load = () => {
    loading ??= import('./services.ts').then(({ openServices }) => openServices(parts))
    return loading
  }
  const health = createHealth({
    ...input,
    checks: [...backend.checks, diskCheck(input.config.dataDir), secretCheck(input.secretFile)],
  })
  watchHealth(input.metrics, health, input.config.dataDir)
  const backups = startBackups(input)
  return {
    fetch: createFetch(parts, load, health),
    async complete() {
      // Lets waiting visits be answered first.
      await Bun.sleep(1)
      await load()
    },
    health: {
      stopping() {
        health.stopping()
        void loading?.then(({ statistics, eventStreams }) => {
          statistics.endStreams()
          eventStreams.endAll()
        })
      },
    },
    storage,
    openClaim: async () => (await load()).accounts.openClaim(),
    closing: [
      { name: 'timers', withinMs: 100, run: async () => (await loading)?.stopTimers() },
      { name: 'backup', withinMs: 100, run: backups.stop },
      { name: 'traces', withinMs: 500, run: async () => input.tracing?.close() },
      { name: 'journal', withinMs: 500, run: backend.closeJournal },
      {
        name: 'click worker, statistics, jobs and webhooks',
        withinMs: 3_200,
        async run() {
          const services = await loading
          const { mailer, jobs, webhookSender } = services ?? {}
          const others = [mailer?.close(), jobs?.stop(), webhookSender?.stop()]
          await Promise.all([backend.finish(3_000), ...others])
        },
      },
      {
        name: 'storage',
        withinMs: 1_200,
        async run() {
          const services = await loading
          await services?.keys.close()
          await services?.administration.requestCounts.write()
          await parts.misses.write()
          await backend.close()
        },
      },
    ],
  }
}

/** Dispatches requests by path; a path of no other part is a short link's. */
function createFetch(parts: Parts, load: Load, health: Health): Serving['fetch'] {
  const { backend, config, baseUrl, domains, ids, metrics, tracing } = parts
  const redirect = createVisits(parts)
  backend.watch(metrics, redirect)
  metrics.counter(
    'missed_visits_dropped_total',
    'Visits to unknown paths that were not counted: too many paths at once, or too long',
    () => parts.misses.dropped(),
  )
  const securityTxt = createSecurityTxt({ ...parts, contact: config.securityContact })
  const durations = metrics.histogram(
    'redirect_duration_seconds',
    'Visits to short links, a sample of every 16th',
  )
  const traced: Tracing['traced'] = tracing?.traced ?? ((handle) => handle)
  const visit = traced(sampleDurations(redirect, durations), '/{slug}')
  const answer = traced(async (request: Request, info: RequestInfo) =>
    (await load()).app.fetch(request, info),
  )
  const domainFile = createDomainFiles({
    ...parts,
    proofKey: parts.secrets.domains,
    requestId: () => ids.next('req'),
  })
  const isLinks = onlyLinks(domains)
  const ask = createHostCheck({ domains, trustedProxies: config.trustedProxies })
  return (request, server) => {
    const path = pathOf(request.url)
    const peer = () => server.requestIP(request)?.address ?? ''
    // On a short domain every path may be a link's, except those that serve the host itself.
    if (isLinks(path, request.url)) return visit(request, peer)
    if (isOwn(path)) {
      const info = {
        get peer() {
          return peer()
        },
      }
      return answer(request, info)
    }
    const file = domainFile(request, path)
    if (file !== null) return file
    const watched =
      health.answer(request, path) ??
      metrics.answer(request, path, path === '/metrics' ? peer() : '') ??
      securityTxt(request, path) ??
      ask(request, path, peer)
    return watched === null ? visit(request, peer) : onTls(watched, baseUrl)
  }
}

/** The redirect. */
function createVisits(parts: Parts): Redirect {
  const { backend, config, clock } = parts
  return createRedirect({
    ...ofVisits(parts),
    resolver: backend.resolver,
    guesses: createGuessLimit(backend.limiters.guesses, clock),
    visitLimit: createVisitLimit(config.visitsPerAddress),
    missed: parts.misses.note,
    report: limitReports(parts, backend.limiters.reports),
    logger: summarizeRefusals(parts.logger),
  })
}
