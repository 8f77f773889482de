import type { BlockList } from './list.ts'
import { type BlockServiceDeps, createBlockService, createReportService } from './service.ts'

export { BLOCK_KINDS, type BlockKind } from './schemas.ts'
export { createBlockService } from './service.ts'

/** All that an instance does about abuse. */
export type Blocks = ReturnType<typeof createBlocks>

/** Makes it. */
export function createBlocks({ list, ...deps }: BlockServiceDeps & { list: BlockList }) {
  return { list, service: createBlockService(deps), reports: createReportService(deps) }
}
