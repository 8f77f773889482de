/**
 * The characters of an IANA name. Not an offset such as `+01:00`, which has no daylight saving
 * time.
 */
const NAME = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/

/**
 * The canonical spelling of an IANA time zone, whatever the case given; undefined: there is no such
 * zone. An alias stays an alias.
 */
export function canonicalZone(name: string): string | undefined {
  if (!NAME.test(name)) return undefined
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId
  } catch {
    return undefined
  }
}

/** A time in a zone; `ms` since the Unix epoch. */
export function zoned(ms: number, zone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(zone)
}
