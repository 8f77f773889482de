import type { StoredClick } from '../types.ts'

/** Clicks of one millisecond on one node, within one batch. */
const PER_MILLISECOND = 2 ** 20
/** After so many batches the numbers of late clicks repeat. */
const LATE_BATCHES = 4_095
/** Numbers of each node: those of node `no` begin at `no * PER_NODE`. */
export const PER_NODE = 2 ** 32

/**
 * Numbers a node's batch in place. A time and a number identify one click on all nodes, and are the
 * same each time the batch is read from the journal. The number holds the node's, then, for clicks
 * that are not newer than those of earlier batches, the batch's, then a counter within the
 * millisecond: nearly always the same small number, which compresses to nothing.
 * `batches` and `newest` (the time of the newest click; 0: none) are what the node stored before.
 */
export function numberClicks(
  clicks: readonly StoredClick[],
  { nodeNo, batches, newest }: { nodeNo: number; batches: number; newest: number },
): void {
  const next = new Map<number, number>()
  const late = (1 + (batches % LATE_BATCHES)) * PER_MILLISECOND
  for (const click of clicks) {
    const count = next.get(click.time) ?? 0
    next.set(click.time, count + 1)
    click.n = nodeNo * PER_NODE + (click.time <= newest ? late : 0) + count
  }
}
