/** The media type of Prometheus's text format. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** A metric's head. */
interface Head {
  /** Without the prefix. */
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
}

type Sample = readonly [labels: string, value: number]

/** One metric in the text format: one number, one for each set of labels, or lines. */
export function textOf(
  { name, help, type }: Head,
  values: number | readonly Sample[] | string,
): string {
  const full = `slugline_${name}`
  const samples = typeof values === 'number' ? [['', values] as const] : values
  const lines =
    typeof samples === 'string'
      ? samples
      : samples.map(([labels, value]) => line(full, labels, value)).join('')
  return `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines}`
}

function line(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}\n`
}

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Durations by their length. */
export interface Histogram {
  /** @param labels as the text format has them: `method="GET"` */
  observe(seconds: number, labels?: string): void
  /** Its lines in the text format, under a name. */
  lines(name: string): string
}

/** A histogram with a series for each set of labels. */
export function createHistogram(): Histogram {
  const all = new Map<string, { counts: number[]; count: number; sum: number }>()
  return {
    observe(seconds, labels = '') {
      let series = all.get(labels)
      if (series === undefined) {
        series = { counts: BOUNDS.map(() => 0), count: 0, sum: 0 }
        all.set(labels, series)
      }
      series.count++
      series.sum += seconds
      const at = BOUNDS.findIndex((bound) => seconds <= bound)
      if (at >= 0) series.counts[at] = (series.counts[at] as number) + 1
    },
    lines(name) {
      let text = ''
      for (const [labels, { counts, count, sum }] of all) {
        const before = labels === '' ? '' : `${labels},`
        let cumulated = 0
        for (const [i, bound] of BOUNDS.entries()) {
          cumulated += counts[i] as number
          text += line(`${name}_bucket`, `${before}le="${bound}"`, cumulated)
        }
        text += line(`${name}_bucket`, `${before}le="+Inf"`, count)
        text += line(`${name}_sum`, labels, sum) + line(`${name}_count`, labels, count)
      }
      return text
    },
  }
}
