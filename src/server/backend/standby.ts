import { join, resolve } from 'node:path'
import { createPlaceLookup } from '../../clicks/enrich/index.ts'
import {
  createRecorder,
  journalDirectory,
  listSegments,
  openJournal,
  openVisitors,
} from '../../clicks/index.ts'
import { asAppError } from '../../http/failure.ts'
import { apiHeaders } from '../../http/respond.ts'
import { prefersProblem } from '../../lib/base/accept.ts'
import { createClientAddress } from '../../lib/base/client-address.ts'
import { renderError } from '../../lib/errors/index.ts'
import { negotiateLocale } from '../../lib/i18n/index.ts'
import { blocksFile, createBlockList } from '../../model/blocks/list.ts'
import { DEFAULT_DOMAIN, domainsFile, storedDomains } from '../../model/domains/index.ts'
import { type Storage, StorageUnavailable } from '../../platform/storage/index.ts'
import {
  createCachedResolver,
  createRedirect,
  createVisitLimit,
  readSnapshot,
} from '../../redirect/index.ts'
import { onTls } from '../operations/answers.ts'
import { journalCheck } from '../operations/checks.ts'
import { createHealth } from '../operations/health.ts'
import { createHostCheck } from '../operations/host-check.ts'
import { isOwn, onlyLinks, pathOf } from '../operations/only-links.ts'
import type { Serving, ServingInput } from '../operations/serving.ts'

/** A node that redirects from memory while it can't start. */
interface Standby extends Pick<Serving, 'fetch' | 'health'> {
  /** How many links are in memory. */
  readonly links: number
  /** Closes the journal, which the following start continues. */
  close(): Promise<void>
}

/**
 * Opens the standby of a node that starts without its database: it redirects the links that were in
 * memory when it stopped, and records their clicks. Every other request gets 503. Null: there are
 * no saved links.
 */
export async function openStandby(input: ServingInput): Promise<Standby | null> {
  const { config, clock, random, ids, logger, baseUrl } = input
  const { dataDir } = config
  const domains = storedDomains(domainsFile(dataDir), baseUrl, config.shortDomains, AWAY)
  const entries = await readSnapshot(join(dataDir, 'hot-links'))
  const directory = journalDirectory(dataDir)
  // Without its files it is unknown which segments are counted: a reused number would lose clicks.
  const hasJournal = listSegments(directory).length > 0
  if (domains === null || entries.length === 0 || !hasJournal) return null

  const resolver = createCachedResolver({ fetch: away, clock })
  resolver.restore(entries)
  const journal = openJournal({ directory, logger })
  const visitors = openVisitors({ file: resolve(dataDir, 'salts'), clock, random, logger })
  const blocks = createBlockList({
    storage: AWAY,
    domains,
    hosts: config.blockedHosts,
    file: blocksFile(dataDir),
  })
  await blocks.restore()
  const redirect = createRedirect({
    resolver,
    recorder: createRecorder(journal, visitors),
    storage: AWAY,
    clock,
    requestId: () => ids.next('req'),
    baseUrl,
    domainOf: (host) => domains.noOf(host) ?? DEFAULT_DOMAIN,
    isCaseSensitive: domains.isCaseSensitive,
    isIndexed: domains.isIndexed,
    clientAddress: createClientAddress(config.trustedProxies),
    placeOf: createPlaceLookup({ database: config.geoipDatabase, logger }),
    random,
    visitLimit: createVisitLimit(config.visitsPerAddress),
    // Password-protected links aren't in memory.
    guesses: { take: () => ({ allowed: false, retryAfterSeconds: 5 }), right: () => {} },
    blocks,
    report: away,
  })
  const storageCheck = {
    name: 'storage',
    check: () => ({ status: 'degraded', reason: 'away' }) as const,
  }
  const health = createHealth({ checks: [storageCheck, journalCheck(journal)], clock, logger })

  const isLinks = onlyLinks(domains)
  const ask = createHostCheck({ domains, trustedProxies: config.trustedProxies })
  return {
    links: entries.length,
    health,
    fetch(request, server) {
      const pathname = pathOf(request.url)
      const peer = () => server.requestIP(request)?.address ?? ''
      if (isLinks(pathname, request.url)) return redirect.fetch(request, peer)
      if (isOwn(pathname) || pathname === '/metrics') {
        return unavailable(request, ids.next('req'), baseUrl)
      }
      const watched = health.answer(request, pathname) ?? ask(request, pathname, peer)
      return watched === null ? redirect.fetch(request, peer) : onTls(watched, baseUrl)
    },
    async close() {
      // Visits of this event-loop turn are answered and written at its end.
      await new Promise((turn) => setImmediate(turn))
      visitors.close()
      resolver.close()
      await journal.close()
    },
  }
}

function unavailable({ headers }: Request, requestId: string, baseUrl: string): Response {
  const error = asAppError(new StorageUnavailable('The database is down'))
  const { status, text, ...rendered } = renderError(error, {
    locale: negotiateLocale({ query: null, acceptLanguage: headers.get('accept-language') }),
    requestId,
    asProblem: prefersProblem(headers.get('accept')),
    baseUrl,
  })
  const all = { ...apiHeaders(requestId, baseUrl), ...rendered.headers }
  return new Response(text, { status, headers: all })
}

function away(): Promise<never> {
  return Promise.reject(new StorageUnavailable('The database is down'))
}

const AWAY: Pick<Storage, 'read' | 'write'> = {
  read: {
    dialect: 'postgres',
    get db(): never {
      throw new StorageUnavailable('The database is down')
    },
    run: away,
    change: away,
  },
  write: away,
}
