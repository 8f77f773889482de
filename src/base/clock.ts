/** Tells the time. Everything that needs it takes one, so that a test can hold it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() }
