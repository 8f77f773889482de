import type { Clock } from './clock.ts'
import type { Random } from './random.ts'

/** Crockford's alphabet in lower case: no i, l, o, u. Its order is that of the values. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'
/** Two characters for each number of ten bits. */
export const PAIRS: readonly string[] = Array.from(
  { length: 1024 },
  (_, n) => digit(n >> 5) + digit(n & 31),
)

function digit(value: number): string {
  return ALPHABET[value] as string
}

function base32(value: number, length: number): string {
  let text = ''
  let rest = value
  for (let i = 0; i < length; i++) {
    text = digit(rest % 32) + text
    rest = Math.floor(rest / 32)
  }
  return text
}

/** The lowest id that could be made at a time. */
export function lowestIdAt(prefix: string, ms: number): string {
  return `${prefix}_${base32(Math.max(0, ms), 10)}`
}

/** Generates ids: unique, hard to guess, and sorted by creation time. */
export interface Ids {
  /** `{prefix}_` and 26 lower-case base32 characters. */
  next(prefix: string): string
}

/**
 * Ids laid out like UUIDv7 (RFC 9562 §5.7): 50 bits of milliseconds, a counter that restarts at a
 * random value each millisecond (method 1 of §6.2), then random bits. Within a process each id is
 * greater than the previous one, even when the clock steps back.
 */
export function createIds(clock: Clock, random: Random): Ids {
  let lastMs = -1
  let head = ''
  let counter = 0
  let tail = ''
  return {
    next(prefix) {
      const now = clock.now()
      if (now > lastMs || counter >= 1_048_575) {
        lastMs = Math.max(now, lastMs + 1)
        const bytes = random.bytes(16)
        head = base32(lastMs, 10)
        // Starts in the lower half of its 20 bits, as room to count up within the millisecond.
        counter = (((bytes[0] as number) << 8) | (bytes[1] as number)) << 3
        tail = ''
        for (let i = 2; i < 14; i++) tail += digit((bytes[i] as number) & 31)
      }
      counter++
      const high = PAIRS[counter >> 10] as string
      return `${prefix}_${head}${high}${PAIRS[counter & 1023] as string}${tail}`
    },
  }
}
