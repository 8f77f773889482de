import type { ZoneOffset } from './types.ts'

/** What an IANA name is made of. No offset such as `+01:00`: that is no zone, it knows no summer. */
const NAME = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/

/**
 * The name of a time zone as the IANA database writes it, whatever its case; undefined: there is
 * none of that name. An alias stays what it is.
 */
export function canonicalZone(name: string): string | undefined {
  if (!NAME.test(name)) return undefined
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId
  } catch {
    return undefined
  }
}

/** A time on the clocks of a zone. Times in milliseconds since the Unix epoch. */
export function zoned(ms: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
}

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
