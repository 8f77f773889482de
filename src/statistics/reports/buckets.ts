/** Neighbouring buckets of one length. */
interface Run {
  start: number
  step: number
}

/**
 * The SQL of the start of the bucket that a click is in. Neighbours of one length need only
 * arithmetic; a year of days in Berlin is five runs, which a CASE of halves distinguishes.
 * @param starts where buckets begin, ascending, in milliseconds since the Unix epoch
 * @param end where the last one ends
 * @param time SQL of the click's time
 */
export function bucketSql(starts: readonly number[], end: number, time = 'time'): string {
  const runs = runsOf(starts, end)
  const between = (low: number, high: number): string => {
    if (low === high) {
      const { start, step } = runs[low] as Run
      return `${time} - (${time} - ${start}) % ${step}`
    }
    const middle = (low + high + 1) >> 1
    const { start } = runs[middle] as Run
    return `CASE WHEN ${time} < ${start} THEN ${between(low, middle - 1)} ELSE ${between(middle, high)} END`
  }
  return runs.length === 0 ? '0' : between(0, runs.length - 1)
}

function runsOf(starts: readonly number[], end: number): Run[] {
  const runs: Run[] = []
  starts.forEach((start, i) => {
    const isLast = i === starts.length - 1
    const step = (isLast ? Math.max(end, start + 1) : (starts[i + 1] as number)) - start
    if (step === 0) return
    const run = runs.at(-1)
    // The last bucket may be shorter than its run: there are no clicks after it.
    const continues = run !== undefined && (step === run.step || (isLast && step < run.step))
    if (!continues) runs.push({ start, step })
  })
  return runs
}
