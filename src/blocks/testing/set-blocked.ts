import { COMMAND_LINE } from '../../audit/index.ts'
import type { Clock } from '../../base/clock.ts'
import { createIds } from '../../base/ids.ts'
import { systemRandom } from '../../base/random.ts'
import type { Domains } from '../../domains/index.ts'
import { AppError } from '../../errors/index.ts'
import type { Storage, Transaction } from '../../storage/index.ts'
import { createBlockService } from '../index.ts'

/** Blocks a link by id or address, or ends its block; what is so already stays as it is. */
export async function setBlocked(
  { domains, clock }: { domains: Pick<Domains, 'noOf' | 'hostOf'>; clock: Clock },
  tx: Transaction,
  value: string,
  blocked: boolean,
): Promise<string | null> {
  const ids = createIds(clock, systemRandom)
  const service = createBlockService({ storage: {} as Storage, clock, ids, domains })
  try {
    if (blocked) {
      const block = await service.create(tx, COMMAND_LINE, { kind: 'link', value, reason: 'spam' })
      return block.link_id
    }
    const id = await service.find(tx, { kind: 'link', value })
    if (id !== undefined) await service.remove(tx, COMMAND_LINE, id)
    return id ?? null
  } catch (error) {
    if (error instanceof AppError) return error.code
    throw error
  }
}
