import { AppError } from '../errors/index.ts'
import type { Plans } from '../plans/service.ts'
import type { Millis, Transaction } from '../storage/index.ts'
import { closeExpired, freeSlots, planIdOf, useSlot } from './store.ts'

/**
 * Takes one of the workspace's keys' slots, or throws. `workspaces.api_keys_count` counts the
 * slots in use: by each key that isn't revoked, except one that was rotated, whose slot its
 * successor has. A key's time runs out without a transaction of its own, so an expired key gives
 * its slot back here, when one is wanted.
 * @throws AppError PLAN_LIMIT_REACHED with API_KEYS_LIMIT.
 */
export async function takeSlot(
  tx: Transaction,
  plans: Pick<Plans, 'of'>,
  workspaceNo: number,
  now: Millis,
): Promise<void> {
  const limit = plans.of(await planIdOf(tx, workspaceNo)).limits.api_keys
  if (await useSlot(tx, workspaceNo, limit)) return
  const freed = await closeExpired(tx, workspaceNo, now)
  if (freed > 0) {
    await freeSlots(tx, workspaceNo, freed)
    if (await useSlot(tx, workspaceNo, limit)) return
  }
  throw new AppError('PLAN_LIMIT_REACHED', {
    details: [{ field: 'api_keys', code: 'API_KEYS_LIMIT', params: { limit: limit ?? 0 } }],
  })
}
