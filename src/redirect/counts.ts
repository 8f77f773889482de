/** How often each kind of response was given since the start, for metrics. */
export type RedirectCounts = Readonly<ReturnType<typeof noAnswers>>

/** The counts of a new redirect. */
export function noAnswers() {
  return {
    redirected: 0,
    not_found: 0,
    gone: 0,
    /** Refused: too many of one address. */
    limited: 0,
    /** Forms and previews. */
    page: 0,
    unavailable: 0,
  }
}
