/** The media type of Prometheus's text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** One number, or one for each set of labels as the text format has them: `method="GET"`. */
export type Samples = number | readonly (readonly [labels: string, value: number])[]

/** One line of the text format. */
export function sampleLine(name: string, labels: string, value: number): string {
  return `${name}${labels && `{${labels}}`} ${value}\n`
}

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Durations by their length. */
export type Histogram = ReturnType<typeof createHistogram>

/** A histogram with a series for each set of labels. */
export function createHistogram() {
  const all = new Map<string, { counts: number[]; sum: number }>()
  return {
    observe(seconds: number, labels = ''): void {
      let series = all.get(labels)
      if (series === undefined) {
        series = { counts: new Array(BOUNDS.length + 1).fill(0), sum: 0 }
        all.set(labels, series)
      }
      const at = BOUNDS.findIndex((bound) => seconds <= bound)
      const bucket = at < 0 ? BOUNDS.length : at
      series.counts[bucket] = (series.counts[bucket] as number) + 1
      series.sum += seconds
    },
    /** Its lines in the text format, under a name. */
    lines(name: string): string {
      let text = ''
      for (const [labels, { counts, sum }] of all) {
        let count = 0
        for (const [i, n] of counts.entries()) {
          count += n
          const le = `le="${BOUNDS[i] ?? '+Inf'}"`
          text += sampleLine(`${name}_bucket`, labels ? `${labels},${le}` : le, count)
        }
        text += sampleLine(`${name}_sum`, labels, sum) + sampleLine(`${name}_count`, labels, count)
      }
      return text
    },
  }
}
