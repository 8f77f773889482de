import type { Batch } from '../store/batch.ts'

/** Clicks of one millisecond on one node, within one batch. */
const OF_A_MILLISECOND = 2 ** 20
/** Batches that may hold clicks of one millisecond, at least. */
const LAPS = 4_095
const OF_A_NODE = 2 ** 32

/**
 * Numbers a batch's clicks: a time and a number are one click's alone, on whichever node it came,
 * and the same each time that the batch is read from the journal again. The number is the node's,
 * then, for clicks not newer than what earlier batches held, the batch's, then counted up within a
 * millisecond; so that it is nearly always the same small number, which takes no space.
 */
export function numberClicks(
  { size, time }: Pick<Batch, 'size' | 'time'>,
  { nodeNo, batches, newest }: { nodeNo: number; batches: number; newest: number },
): Float64Array {
  const numbers = new Float64Array(size)
  const next = new Map<number, number>()
  const late = (1 + (batches % LAPS)) * OF_A_MILLISECOND
  for (let at = 0; at < size; at++) {
    const moment = time[at] as number
    const count = next.get(moment) ?? 0
    next.set(moment, count + 1)
    numbers[at] = nodeNo * OF_A_NODE + (moment <= newest ? late : 0) + count
  }
  return numbers
}
