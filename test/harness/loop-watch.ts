/**
 * Measures how long the event loop of this process is held up. Time in which the process itself
 * didn't get a processor, because the machine is busy, doesn't count.
 */
export function createLoopWatch() {
  let longestMs = 0
  let wall = performance.now()
  let cpu = process.cpuUsage()
  const timer = setInterval(() => {
    const now = performance.now()
    const { user, system } = process.cpuUsage(cpu)
    longestMs = Math.max(longestMs, Math.min(now - wall, (user + system) / 1_000))
    wall = now
    cpu = process.cpuUsage()
  }, 2)
  return {
    /** Ends the measurement. @returns the longest time in ms */
    stop(): number {
      clearInterval(timer)
      return longestMs
    },
  }
}
