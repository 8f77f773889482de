const ZERO = 48
const COLON = 58
const POINT = 46
const Z = 90
const UPPER = 1e9
const UPPER_DIGITS = 9
const MINUTE_MS = 60_000
const SECOND_MS = 1_000

/** Writes a whole number from 0 on. Returns where it ends. */
export function writeNumber(value: number, out: Uint8Array, at: number): number {
  if (value < UPPER) return writeSmall(value, digitsOf(value), out, at)
  // What has 32 bits is divided without doubles.
  const upper = Math.floor(value / UPPER)
  const to = writeNumber(upper, out, at)
  return writeSmall(value - upper * UPPER, UPPER_DIGITS, out, to)
}

/** `mm:ss.mmmZ`, from minutes that milliseconds are added to. */
export function writeClock(minutes: number, ms: number, out: Uint8Array, at: number): number {
  const minute = (ms / MINUTE_MS) | 0
  const rest = ms - minute * MINUTE_MS
  const second = (rest / SECOND_MS) | 0
  writeSmall(minutes + minute, 2, out, at)
  out[at + 2] = COLON
  writeSmall(second, 2, out, at + 3)
  out[at + 5] = POINT
  writeSmall(rest - second * SECOND_MS, 3, out, at + 6)
  out[at + 9] = Z
  return at + 10
}

function digitsOf(value: number): number {
  let digits = 1
  for (let power = 10; value >= power; power *= 10) digits++
  return digits
}

function writeSmall(value: number, digits: number, out: Uint8Array, at: number): number {
  let rest = value | 0
  for (let i = at + digits - 1; i >= at; i--) {
    const tenth = (rest / 10) | 0
    out[i] = ZERO + rest - tenth * 10
    rest = tenth
  }
  return at + digits
}
