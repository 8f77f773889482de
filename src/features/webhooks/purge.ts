import type { Clock } from '../../lib/base/clock.ts'
import type { Storage } from '../../platform/storage/index.ts'
import { dropDeliveries, dropOld, dropWebhook, webhooksAbove } from './sending-store.ts'

const KEPT_MS = 30 * 24 * 3_600_000
const KEPT_MAX = 10_000
/** Of one step: deliveries, webhooks, and transactions. */
const DROPPED = 1_000
const LOOKED_THROUGH = 100
const STEPS = 20

/** Deletes deliveries that are too old or too many, and those of deleted webhooks. */
export function createPurge(deps: { storage: Pick<Storage, 'read' | 'write'>; clock: Clock }) {
  const { storage, clock } = deps
  let above = ''
  return async (): Promise<void> => {
    const before = clock.now() - KEPT_MS
    await inSteps((limit) =>
      storage.write((tx) => dropOld(tx, before, limit), { survives: 'process' }),
    )
    const some = await webhooksAbove(storage.read, above, LOOKED_THROUGH)
    above = some.length < LOOKED_THROUGH ? '' : (some.at(-1)?.id ?? '')
    for (const { id, deleted_at } of some) {
      const kept = deleted_at === null ? KEPT_MAX : 0
      const isDone = await inSteps((limit) =>
        storage.write((tx) => dropDeliveries(tx, id, { kept, limit }), { survives: 'process' }),
      )
      if (deleted_at !== null && isDone) await storage.write((tx) => dropWebhook(tx, id))
    }
  }
}

/** Deletes in short transactions. False: some are left. */
async function inSteps(step: (limit: number) => Promise<number>): Promise<boolean> {
  for (let steps = 0; steps < STEPS; steps++) if ((await step(DROPPED)) < DROPPED) return true
  return false
}
