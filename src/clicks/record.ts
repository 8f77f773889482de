/** How a link was visited: the bits of a click’s `how`. */
export const CLICK_FLAGS = {
  /** Fetched in advance by a browser or a preview, before a person requested it. */
  ahead: 1,
  /** Through the password form. */
  password: 2,
  /** From the link's QR code. */
  qr: 4,
  /** With `ahead`: rendered invisibly. Without this and the next bit: only fetched. */
  prerender: 8,
  /** With `ahead`: for a thumbnail or a link preview. */
  preview: 16,
  /** Only counted: the single click isn't stored. */
  countOnly: 32,
} as const

/** Version of the records written here; readers skip unknown versions. */
export const RECORD_VERSION = 1

/**
 * A click in the journal: an array, because names would take more space than its values. The order
 * is part of the format.
 */
export type ClickRecord = [
  version: number,
  /** Milliseconds since the Unix epoch. */
  time: number,
  linkSeq: number,
  /** Bits of {@link CLICK_FLAGS}. */
  how: number,
  /** The day's keyed hash of the visitor; empty if they asked not to be tracked. */
  visitor: string,
  userAgent: string,
  /** Truncated: /24 or /48. */
  address: string,
  /** Without query string and fragment. */
  referrer: string,
  /** The `Accept-Language` header. */
  language: string,
  /** The visit's `utm_*` parameters, by name; 0: none. */
  utm: Record<string, string> | 0,
  slugKey: string,
  domainNo: number,
  /** Ids of the rule and variant that chose the destination; empty: none did. Omitted: neither. */
  rule?: string,
  variant?: string,
]

/**
 * A line of the journal: CRC-32 of the rest in base 36, a space, JSON, a newline. It is ASCII, so
 * that characters are bytes, and a newline is always an end. Measured on 330 characters, 700 ns
 * before: comparing lengths instead of using a regular expression saves 80 ns, and base 36 instead
 * of a decimal beyond 2^31 saves 240 ns.
 */
export function encodeRecord(record: ClickRecord): string {
  let json = JSON.stringify(record)
  if (Buffer.byteLength(json) !== json.length) json = json.replace(NOT_ASCII, escaped)
  return `${crcOf(json)} ${json}\n`
}

/** Decodes a line without its newline; null: torn, damaged or of another version. */
export function decodeRecord(line: string): ClickRecord | null {
  const start = line.indexOf(' ') + 1
  if (start === 0) return null
  const json = line.slice(start)
  if (crcOf(json) !== line.slice(0, start - 1)) return null
  try {
    const record = JSON.parse(json) as ClickRecord
    return record[0] === RECORD_VERSION ? record : null
  } catch {
    return null
  }
}

const NOT_ASCII = /[^ -~]/g

function crcOf(json: string): string {
  return Bun.hash.crc32(json).toString(36)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
