import { resolve } from 'node:path'
import { addressKey } from '../base/client-address.ts'
import type { Clock } from '../base/clock.ts'
import type { Limiter } from '../limits/index.ts'
import type { RedirectDeps } from '../redirect/index.ts'
import { createBlockList } from './list.ts'
import { type BlockServiceDeps, createBlockService, createReportService } from './service.ts'

export { type BlockList, createBlockList } from './list.ts'
export { BLOCK_KINDS, type BlockKind } from './schemas.ts'
export { createBlockService } from './service.ts'

/** Where a node keeps the blocks for a start without its database. */
export const blocksFile = (dataDir: string): string => resolve(dataDir, 'blocks')

/** All that an instance does about abuse. */
export type Blocks = ReturnType<typeof createBlocks>

/** Makes it; `hosts` are the destinations that the configuration blocks. */
export function createBlocks(
  deps: BlockServiceDeps & Pick<Parameters<typeof createBlockList>[0], 'hosts' | 'file'>,
) {
  return {
    list: createBlockList(deps),
    service: createBlockService(deps),
    reports: createReportService(deps),
  }
}

/** Reports of visitors from one address, of IPv6 from one /64: a burst of five, then one every ten minutes. */
const REPORTS = { ratePerMinute: 0.1, burst: 5 }

/** Keeps what visitors report, as long as it isn't too much of one. */
export function limitReports(
  reports: Pick<Blocks['reports'], 'add'>,
  limiter: Pick<Limiter, 'take'>,
  clock: Clock,
): RedirectDeps['report'] {
  return async ({ domainNo, slugKey, text, from }) => {
    const { allowed, retryAfterMs } = await limiter.take(addressKey(from), REPORTS, clock.now())
    if (allowed) await reports.add(domainNo, slugKey, text)
    return { allowed, retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1000)) }
  }
}
