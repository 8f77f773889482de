import type { BlockList } from '../../model/blocks/list.ts'
import { type BlockServiceDeps, createBlockService, createReportService } from './service.ts'

export type { BlockKind } from './schemas.ts'
export { createBlockService } from './service.ts'

/** The abuse handling of an instance. */
export type Blocks = ReturnType<typeof createBlocks>

export function createBlocks({ list, ...deps }: BlockServiceDeps & { list: BlockList }) {
  return {
    list,
    service: createBlockService({ ...deps, list }),
    reports: createReportService(deps),
  }
}
