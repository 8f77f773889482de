import { networkInterfaces } from 'node:os'
import { resolve } from 'node:path'
import { createApp } from './app.ts'
import { createClientAddress } from './base/client-address.ts'
import {
  createPeopleSoFar,
  createRecorder,
  createSupervisor,
  journalDirectory,
  openJournal,
  openVisitors,
} from './clicks/index.ts'
import { isWildcard } from './config/index.ts'
import { DEFAULT_DOMAIN, syncDomains } from './domains/index.ts'
import { createCursors } from './http/cursor.ts'
import { purgeIdempotency } from './http/index.ts'
import { createKeyService } from './keys/index.ts'
import { createMemoryLimiter } from './limits/index.ts'
import { createLinkService } from './links/index.ts'
import { journalCheck, workerCheck } from './operations/click-checks.ts'
import { createHealth, diskCheck, secretCheck, storageCheck } from './operations/index.ts'
import type { Serving, ServingInput } from './operations/serving.ts'
import { watchClicks, watchProcess } from './operations/watched.ts'
import { createEmbeddedResolver, createRedirect } from './redirect/index.ts'
import { openEmbedded } from './storage/index.ts'

/** Guesses at a link's password from one address: five at once, then one every twelve seconds. */
const GUESSES = { ratePerMinute: 5, burst: 5 }
const PURGE_EVERY_MS = 60_000

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
  })
  const visitors = openVisitors({ file: resolve(dataDir, 'salts'), clock, random, logger })
  const supervisor = createSupervisor({
    command: workerCommand(dataDir),
    journal,
    watermark,
    clock,
    logger,
  })
  const recorder = createRecorder(journal, visitors, supervisor.poke)

  const keys = createKeyService({ storage, clock, ids, random, pepper: secrets.apiKeys, plans })
  const base = new URL(baseUrl)
  const links = createLinkService({
    storage,
    clock,
    ids,
    random,
    cursors: createCursors(secrets.cursors),
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

  const app = createApp({
    storage,
    clock,
    logger,
    ids,
    authenticate: keys.authenticate,
    clientAddress,
    baseUrl: () => baseUrl,
    anonymousPerMinute: config.anonymousPerMinute,
    observe: metrics.request,
    plans,
    links,
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
      diskCheck(dataDir),
      secretCheck(input.secretFile),
    ],
    clock,
    logger,
  })
  watchClicks(metrics, { journal, supervisor, redirect })
  watchProcess(metrics, { dataDir })

  const purging = setInterval(() => {
    purgeIdempotency(storage, clock.now()).catch((err) =>
      logger.warn({ err }, 'Old idempotency records could not be deleted'),
    )
  }, PURGE_EVERY_MS)
  purging.unref()

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
      return (
        health.answer(request, path) ??
        metrics.answer(request, path, path === '/metrics' ? peer() : '') ??
        redirect.fetch(request, peer)
      )
    },
    health,
    storage,
    closing: [
      { name: 'timers', withinMs: 100, run: () => clearInterval(purging) },
      { name: 'journal', withinMs: 500, run: () => journal.close() },
      { name: 'click worker', withinMs: 3_200, run: () => supervisor.stop(3_000) },
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

/** The same program, so that a packaged executable finds itself. */
function workerCommand(dataDir: string): string[] {
  const program = [process.execPath, '--no-env-file', '--smol', resolve(import.meta.dir, 'main.ts')]
  return [...program, 'click-worker', '--data-dir', dataDir]
}

/** Without the query; cheap, for every visit passes here. */
function pathOf(url: string): string {
  const start = url.indexOf('/', url.startsWith('/') ? 0 : url.indexOf('//') + 2)
  if (start < 0) return '/'
  const end = url.indexOf('?', start)
  return end < 0 ? url.slice(start) : url.slice(start, end)
}
