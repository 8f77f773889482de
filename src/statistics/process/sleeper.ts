/** Waits for time to pass, or for something to happen. */
export interface Sleeper {
  /** Resolves after `ms`, or earlier when `early` says so at a call of `wake`. */
  sleep(ms: number, early: () => boolean): Promise<void>
  wake(): void
}

/** One that sleeps once at a time. */
export function createSleeper(): Sleeper {
  let wake = () => {}
  return {
    sleep(ms, early) {
      return new Promise((done) => {
        const end = () => {
          clearTimeout(timer)
          wake = () => {}
          done()
        }
        const timer = setTimeout(end, Math.max(0, ms))
        wake = () => {
          if (early()) end()
        }
      })
    },
    wake: () => wake(),
  }
}
