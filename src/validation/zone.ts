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
