/** The number of rows, and the sum of 64 bits of each row's MD5 modulo 2^64, in hexadecimal. */
export interface Digest {
  rows: number
  checksum: string
}

/** The digest of no rows. */
export const NONE: Digest = digestOf(0, 0)

/** A digest from a database's numbers, in any sign and size of the sum. */
export function digestOf(rows: unknown, sum: unknown): Digest {
  const checksum = BigInt.asUintN(64, BigInt(String(sum ?? 0))).toString(16)
  return { rows: Number(rows), checksum: checksum.padStart(16, '0') }
}

/** The digest of both sets of rows together. */
export function plus(a: Digest, b: Digest): Digest {
  return sumOf([a, b])
}

/** The digest of all sets of rows together. */
export function sumOf(digests: Iterable<Digest>): Digest {
  let rows = 0
  let sum = 0n
  for (const digest of digests) {
    rows += digest.rows
    sum += BigInt(`0x${digest.checksum}`)
  }
  return digestOf(rows, sum)
}

/** Whether two digests are equal, hence the rows as far as 64 bits can tell. */
export function isSame(a: Digest, b: Digest): boolean {
  return a.rows === b.rows && a.checksum === b.checksum
}

/** A table's digests on both sides, and how many rows were copied. */
export interface Moved {
  table: string
  source: Digest
  target: Digest
  copied: number
}

/** Called with the number of rows read or copied. */
export type Progress = (table: string, rows: number) => void
