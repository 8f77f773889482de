import type { Click, StoredClick } from '../types.ts'

/** Clicks of one millisecond on one node, within one batch. */
const PER_MILLISECOND = 2 ** 20
/** After so many batches the numbers of late clicks repeat. */
const LATE_BATCHES = 4_095
const PER_NODE = 2 ** 32

/**
 * Numbers a batch's clicks. A time and a number identify one click on all nodes, and are the same
 * each time the batch is read from the journal. The number holds the node's, then, for clicks that
 * are not newer than those of earlier batches, the batch's, then a counter within the millisecond:
 * nearly always the same small number, which compresses to nothing.
 */
export function numberClicks(
  clicks: readonly Click[],
  { nodeNo, batches, newest }: { nodeNo: number; batches: number; newest: number },
): StoredClick[] {
  const next = new Map<number, number>()
  const late = (1 + (batches % LATE_BATCHES)) * PER_MILLISECOND
  return clicks.map((click) => {
    const count = next.get(click.time) ?? 0
    next.set(click.time, count + 1)
    const n = nodeNo * PER_NODE + (click.time <= newest ? late : 0) + count
    return Object.assign(click, { n })
  })
}
