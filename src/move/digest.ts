/** How many rows, and the sum of 64 bits of each row's MD5, modulo 2^64; in any order. */
export interface Digest {
  rows: number
  sum: bigint
}

export const NONE: Digest = { rows: 0, sum: 0n }

/** The digest of the rows of both. */
export function plus(a: Digest, b: Digest): Digest {
  return { rows: a.rows + b.rows, sum: BigInt.asUintN(64, a.sum + b.sum) }
}

/** Whether they are digests of the same rows, as far as 64 bits can tell. */
export function isSame(a: Digest, b: Digest): boolean {
  return a.rows === b.rows && a.sum === b.sum
}

/** A digest from a database's numbers, whatever the sign and size of its sum. */
export function digestOf(rows: unknown, sum: unknown): Digest {
  return { rows: Number(rows), sum: BigInt.asUintN(64, BigInt(String(sum ?? 0))) }
}

/** Sixteen hexadecimal digits, for people. */
export function inHex({ sum }: Digest): string {
  return sum.toString(16).padStart(16, '0')
}
