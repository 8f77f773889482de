/** How many rows, and the sum of 64 bits of each row's MD5 modulo 2^64, in hexadecimal digits. */
export interface Digest {
  rows: number
  checksum: string
}

/** The digest of no rows. */
export const NONE: Digest = digestOf(0, 0)

/** A digest from a database's numbers, whatever the sign and size of its sum. */
export function digestOf(rows: unknown, sum: unknown): Digest {
  const checksum = BigInt.asUintN(64, BigInt(String(sum ?? 0))).toString(16)
  return { rows: Number(rows), checksum: checksum.padStart(16, '0') }
}

/** The digest of the rows of both. */
export function plus(a: Digest, b: Digest): Digest {
  return digestOf(a.rows + b.rows, BigInt(`0x${a.checksum}`) + BigInt(`0x${b.checksum}`))
}

/** Whether they are digests of the same rows, as far as 64 bits can tell. */
export function isSame(a: Digest, b: Digest): boolean {
  return a.rows === b.rows && a.checksum === b.checksum
}
