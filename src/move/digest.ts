/** Stands between the values of a row, and for null: no text of ours holds them. */
const BETWEEN = '\x1f'
const NULL = '\x1e'

/** How many rows, and what they add up to: 64 bits of each row's MD5, modulo 2^64. */
export interface Digest {
  rows: number
  sum: bigint
}

/** Of no rows. */
export const NONE: Digest = { rows: 0, sum: 0n }

/** The digest of both. Their order says nothing. */
export function plus(a: Digest, b: Digest): Digest {
  return { rows: a.rows + b.rows, sum: BigInt.asUintN(64, a.sum + b.sum) }
}

/** Whether they are digests of the same rows, as far as 64 bits can tell. */
export function isSame(a: Digest, b: Digest): boolean {
  return a.rows === b.rows && a.sum === b.sum
}

/** A digest out of a database's numbers, whatever the sign and size of its sum. */
export function digestOf(rows: unknown, sum: unknown): Digest {
  return { rows: Number(rows), sum: BigInt.asUintN(64, BigInt(String(sum ?? 0))) }
}

/** Sixteen hexadecimal digits, for people. */
export function inHex({ sum }: Digest): string {
  return sum.toString(16).padStart(16, '0')
}

const out = new Uint8Array(16)
const view = new DataView(out.buffer)

/** Adds rows up. Halves of 32 bits are exact as numbers for two million rows. */
export function createSum() {
  let rows = 0
  let high = 0
  let low = 0
  return {
    /** @param values texts and whole numbers, as {@link rowText} joins them */
    add(text: string): void {
      Bun.CryptoHasher.hash('md5', text, out)
      rows++
      high += view.getUint32(0)
      low += view.getUint32(4)
    },
    digest(): Digest {
      return { rows, sum: BigInt.asUintN(64, (BigInt(high) << 32n) + BigInt(low)) }
    },
  }
}

/** One row's 64 bits. */
export function hashOf(text: string): bigint {
  Bun.CryptoHasher.hash('md5', text, out)
  return view.getBigUint64(0)
}

/** A row as it is hashed: see {@link rowTextSql}. */
export function rowText(values: readonly (string | null)[]): string {
  return values.map((value) => value ?? NULL).join(BETWEEN)
}

/** The same in PostgreSQL. @param columns expressions of texts and numbers */
export function rowTextSql(columns: readonly string[]): string {
  const values = columns.map((column) => `coalesce(${column}::text, E'\\x1e')`)
  return `concat_ws(E'\\x1f', ${values.join(', ')})`
}

/** A row's 64 bits in PostgreSQL, signed. */
export function hashSql(text: string): string {
  return `('x' || left(md5(${text}), 16))::bit(64)::bigint`
}
