import { visitorBits } from '../../clicks/visitor-bits.ts'
import type { ClickKind } from '../types.ts'

/** XORed to the visitors of bots and previews. */
const NOT_HUMAN = 0x9e3779b97f4a7c15n

/**
 * The visitor of a click, by the hash in its record. A human and a program with the same address and
 * user agent are two visitors.
 */
export function visitorOf(hash: string, kind: ClickKind): bigint | null {
  const bits = visitorBits(hash)
  return bits === null || kind === 'human' ? bits : bits ^ NOT_HUMAN
}
