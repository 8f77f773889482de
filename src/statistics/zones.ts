import { zoned } from '../validation/zone.ts'
import type { ZoneOffset } from './types.ts'

/** When a day begins in a zone: at midnight, or at the first moment after it that exists. */
export function startOfDay(date: Temporal.PlainDate, zone: string): number {
  return date.toZonedDateTime(zone).epochMilliseconds
}

/** How far a zone is ahead of UTC from `from` on, and from each change on before `to`. */
export function zoneOffsets(zone: string, from: number, to: number): ZoneOffset[] {
  let at = zoned(from, zone)
  const offsets = [{ from, offsetMs: offsetOf(at) }]
  for (;;) {
    const next = at.getTimeZoneTransition('next')
    if (next === null || next.epochMilliseconds >= to) return offsets
    offsets.push({ from: next.epochMilliseconds, offsetMs: offsetOf(next) })
    at = next
  }
}

/** How far the zone is ahead of UTC, in milliseconds. */
export function offsetOf(at: Temporal.ZonedDateTime): number {
  return at.offsetNanoseconds / 1e6
}
