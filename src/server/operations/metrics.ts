import { withTimeout } from '../../lib/base/with-timeout.ts'
import { isForwarded, isLoopback, isLoopbackHost, otherMethod, watchHeaders } from './answers.ts'

/** A response of the API, as the HTTP layer reports it. */
interface AnsweredRequest {
  method: string
  /** The endpoint's path with its parameters in braces; null: no such endpoint. */
  route: string | null
  status: number
  durationMs: number
}

/** Metrics for Prometheus. */
export type Metrics = ReturnType<typeof createMetrics>

/** Methods with a series of their own; others come from hostile requests. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])

/** A number, or one for each set of labels in the text format: `method="GET"`. */
type Samples = number | readonly (readonly [labels: string, value: number])[]

/** One line of the text format. */
function sampleLine(name: string, labels: string, value: number): string {
  return `${name}${labels && `{${labels}}`} ${value}\n`
}

/** A metric that takes longer to read is left out. */
const READ_MS = 1_000

/** Upper bounds of the buckets, in seconds. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** A histogram of durations. */
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

/**
 * Plain numbers, converted to Prometheus's format when `/metrics` is requested. Names have no
 * prefix `slugline_`, and end with their unit. Adding a metric again replaces the first.
 * @param access `local`: only for requests of this machine, with a loopback host name and not
 *   forwarded. A proxy on this machine that adds no headers can't be recognized: then METRICS=off,
 *   or a rule in that proxy, is needed.
 */
export function createMetrics(access: 'local' | 'public' | 'off') {
  const texts = new Map<string, () => string | Promise<string>>()
  let rateLimited = 0
  let unhandledErrors = 0

  function add(
    type: string,
    name: string,
    help: string,
    lines: (name: string) => string | Promise<string>,
  ): void {
    const full = `slugline_${name}`
    const head = `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n`
    texts.set(full, async () => head + (await lines(full)))
  }
  const reading =
    (type: 'gauge' | 'counter') =>
    (name: string, help: string, read: () => Samples | Promise<Samples>) =>
      add(type, name, help, async (full) => {
        // What can't be read now is left out; the other metrics are needed all the more.
        const value = await withTimeout(READ_MS, async () => await read(), []).catch(() => [])
        const samples = typeof value === 'number' ? [['', value] as const] : value
        return samples.map(([labels, number]) => sampleLine(full, labels, number)).join('')
      })
  const counter = reading('counter')
  function tally(name: string, help: string, first: readonly string[]): (labels: string) => void {
    const counts = new Map(first.map((labels) => [labels, 0]))
    counter(name, help, () => [...counts])
    return (labels) => void counts.set(labels, (counts.get(labels) ?? 0) + 1)
  }
  function histogram(name: string, help: string): Histogram {
    const made = createHistogram()
    add('histogram', name, help, made.lines)
    return made
  }
  const durations = histogram(
    'http_request_duration_seconds',
    'Requests of the API, by route and class of status',
  )
  counter('rate_limited_total', 'API requests answered with 429', () => rateLimited)
  counter('unhandled_errors_total', 'Unexpected errors', () => unhandledErrors)

  function mayRead(request: Request, peer: string): boolean {
    if (access !== 'local') return access === 'public'
    return (
      isLoopback(peer) &&
      isLoopbackHost(request.headers.get('host') ?? '') &&
      !isForwarded(request.headers)
    )
  }

  async function render(): Promise<string> {
    const { processMetrics } = await import('./process-metrics.ts')
    const own = await Promise.all([...texts.values()].map((text) => text()))
    return (await processMetrics()) + own.join('')
  }

  return {
    request({ method, route, status, durationMs }: AnsweredRequest): void {
      const known = METHODS.has(method) ? method : 'other'
      const labels = `method="${known}",route="${route ?? 'none'}",status="${Math.floor(status / 100)}xx"`
      durations.observe(durationMs / 1_000, labels)
      if (status === 429) rateLimited++
    },
    /** Counts an unhandled error of the process. */
    unhandledError(): void {
      unhandledErrors++
    },
    /** Adds a gauge. */
    gauge: reading('gauge'),
    /** Adds a counter; its name ends in `_total`. */
    counter,
    /** Adds a counter by labels, in the text format; `first` are there before anything is counted. */
    tally,
    /** Adds durations in seconds. */
    histogram,
    /** The metrics in Prometheus's text format. */
    render,
    /** The response for `/metrics`, or null for any other path and for clients without access. */
    answer(request: Request, path: string, peer: string): Response | Promise<Response> | null {
      if (path !== '/metrics' || !mayRead(request, peer)) return null
      const expose = async () =>
        new Response(await render(), {
          headers: watchHeaders('text/plain; version=0.0.4; charset=utf-8'),
        })
      return otherMethod(request) ?? expose()
    },
  }
}
