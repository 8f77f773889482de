/** The start of the UTC month of a time; both in milliseconds since the Unix epoch. */
export function monthOf(time: number): number {
  const date = new Date(time)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth())
}

/** The start of the month after one, by its start. */
export function monthAfter(month: number): number {
  const date = new Date(month)
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1)
}
