const PARTS = 4
const STEPS = [1, 2, 2.5, 5, 10]

/**
 * Where an axis of counts that go up to `most` has its lines: from zero, whole, and so round that they
 * are written exactly where they are written short (1.05k would be read as 1.1k).
 */
export function ticksTo(most: number): number[] {
  const least = most / PARTS
  const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)))
  const step =
    STEPS.map((one) => one * power).find((one) => one >= least && Number.isInteger(one)) ?? 1
  // A handful of clicks isn't a full chart.
  const parts = step === 1 ? PARTS : Math.ceil(most / step)
  return Array.from({ length: parts + 1 }, (_, i) => i * step)
}
