/** The start of the UTC month of a time; both in milliseconds since the Unix epoch. */
export function monthOf(time: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** The start of the month after that of a time. */
export function monthAfter(time: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
