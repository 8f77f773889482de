import type { BlockList } from './list.ts'
import { createBlockList } from './list.ts'
import { createReportService, type ReportService } from './reports.ts'
import { type BlockService, type BlockServiceDeps, createBlockService } from './service.ts'

export { type BlockList, createBlockList } from './list.ts'
export { BLOCK_KINDS, type BlockKind, createBlockService } from './service.ts'

/** All that an instance does about abuse. */
export interface Blocks {
  list: BlockList
  service: BlockService
  reports: ReportService
}

/** Makes it; `hosts` are the destinations that the configuration blocks. */
export function createBlocks(deps: BlockServiceDeps & { hosts: readonly string[] }): Blocks {
  return {
    list: createBlockList(deps),
    service: createBlockService(deps),
    reports: createReportService(deps),
  }
}
