import { resolve } from 'node:path'
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
