import { createPlaceLookup } from '../clicks/enrich/index.ts'
import { createExcludedNetworks } from '../clicks/index.ts'
import { createMisses } from '../features/domains/misses.ts'
import { createSiteOf } from '../features/domains/site.ts'
import { createCursors } from '../http/cursor.ts'
import { createClientAddress } from '../lib/base/client-address.ts'
import { blocksFile, createBlockList } from '../model/blocks/list.ts'
import { DEFAULT_DOMAIN, domainsFile, syncDomains } from '../model/domains/index.ts'
import { keepDottedKeys } from '../model/links/slug.ts'
import { createHashQueue } from '../platform/limits/index.ts'
import { readDottedKeys } from '../platform/storage/index.ts'
import { createInSite } from '../redirect/index.ts'
import { createBackend } from './backend/index.ts'
import type { ServingInput } from './operations/serving.ts'

/** What the redirect and all services depend on. */
export type Parts = Awaited<ReturnType<typeof openParts>>

/** Reads the domains and blocks. Closes the backend on failure, so that a node can start again. */
export async function openParts(input: ServingInput) {
  const { config, secrets, baseUrl } = input
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
    const blocks = createBlockList({
      storage,
      domains,
      hosts: config.blockedHosts,
      ...(scaled !== null && { file: blocksFile(dataDir) }),
    })
    const excluded = createExcludedNetworks(storage)
    const dotted = readDottedKeys(storage.read).then(keepDottedKeys)
    await Promise.all([blocks.refresh(), excluded.refresh(), dotted])
    return {
      ...input,
      backend,
      storage,
      nodeId,
      domains,
      cursors,
      blocks,
      excluded,
      misses: createMisses({ ...input, storage, cursors, domains }),
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

/** The dependencies of the redirect, for real or described visits. */
export function ofVisits(parts: Parts) {
  const { backend, ids, domains, storage, blocks } = parts
  const { isShared } = domains
  return {
    ...parts,
    recorder: backend.recorder,
    requestId: () => ids.next('req'),
    domainOf: (host: string) => domains.noOf(host) ?? DEFAULT_DOMAIN,
    isCaseSensitive: domains.isCaseSensitive,
    isIndexed: domains.isIndexed,
    inSite: createInSite({ isShared, siteOf: createSiteOf(storage), blocks }),
  }
}
