const PARTS = 4
const STEPS = [1, 2, 2.5, 5, 10]

/**
 * The ticks of an axis of counts up to `most`: from zero, whole numbers, and so round that their
 * short form is exact (1.05k would be shown as 1.1k).
 */
export function ticksTo(most: number): number[] {
  const least = most / PARTS
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)))
  const step =
    STEPS.map((one) => one * power).find((one) => one >= least && Number.isInteger(one)) ?? 1
  // A few clicks don't fill the chart.
  const parts = step === 1 ? PARTS : Math.ceil(most / step)
  return Array.from({ length: parts + 1 }, (_, i) => i * step)
}
