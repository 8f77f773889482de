import type { Position } from './walk.ts'

/** Which part of a list by creation a page is. */
interface PartAsked {
  descending: boolean
  /** Exclusive. */
  after: Position | null
  offset: number
  limit: number
}

/** As many of `seqs`, which rise, as a page by creation needs if all of them still match. */
export function nextOf(
  seqs: readonly number[],
  { after, descending, offset, limit }: PartAsked,
): readonly number[] {
  const need = offset + limit
  if (after === null) return descending ? seqs.slice(-need) : seqs.slice(0, need)
  // The first one that isn't below, or that is above, the position.
  const from = firstFrom(seqs, descending ? after.seq : after.seq + 1)
  return descending ? seqs.slice(Math.max(0, from - need), from) : seqs.slice(from, from + need)
}

/** The place of the first of rising numbers that is at least `least`. */
function firstFrom(seqs: readonly number[], least: number): number {
  let low = 0
  let high = seqs.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((seqs[middle] as number) < least) low = middle + 1
    else high = middle
  }
  return low
}
