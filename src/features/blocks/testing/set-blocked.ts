import { createIds } from '../../../lib/base/ids.ts'
import { systemRandom } from '../../../lib/base/random.ts'
import { AppError } from '../../../lib/errors/index.ts'
import { COMMAND_LINE } from '../../audit/index.ts'
import { type BlockServiceDeps, createBlockService } from '../service.ts'

/** Blocks or unblocks a link by id or address; no-op if it already is. */
export async function setBlocked(
  deps: Omit<BlockServiceDeps, 'ids'>,
  value: string,
  blocked: boolean,
): Promise<string | null> {
  const service = createBlockService({ ...deps, ids: createIds(deps.clock, systemRandom) })
  const link = { kind: 'link', value } as const
  try {
    return await deps.storage.write(async (tx) => {
      if (blocked) {
        const { link_id } = await service.create(tx, COMMAND_LINE, { ...link, reason: 'spam' })
        return link_id
      }
      const id = await service.find(tx, link)
      if (id !== undefined) await service.remove(tx, COMMAND_LINE, id)
      return id ?? null
    })
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}
