import { otherMethod, watchHeaders } from './answers.ts'
import {
  createHistogram,
  type Histogram,
  METRICS_TYPE,
  type Samples,
  sampleLine,
} from './exposition.ts'
import { isForwarded, isLoopback, isLoopbackHost } from './loopback.ts'

/** An answer of the API, as the HTTP layer tells of it. */
export interface AnsweredRequest {
  method: string
  /** The endpoint's path with its parameters in braces; null where there is no such endpoint. */
  route: string | null
  status: number
  durationMs: number
}

/** Counts what happens, for Prometheus. */
export type Metrics = ReturnType<typeof createMetrics>

/** Methods that a series of their own may be made for; others come from hostile requests. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])

/**
 * Plain numbers, which are only turned into Prometheus's format when `/metrics` is asked for. Names
 * are without the prefix `slugline_`; units come last. A metric that is added again replaces the first.
 * @param access `local`: only for this machine's own requests, addressed to a loopback name and
 *   forwarded by nobody. A proxy on this machine that hides itself can't be recognised: then
 *   METRICS=off, or a rule in that proxy, is the fence.
 */
export function createMetrics(access: 'local' | 'public' | 'off') {
  const texts = new Map<string, () => string>()
  let rateLimited = 0
  let unhandledErrors = 0

  function add(type: string, name: string, help: string, lines: (name: string) => string): void {
    const full = `slugline_${name}`
    texts.set(full, () => `# HELP ${full} ${help}\n# TYPE ${full} ${type}\n${lines(full)}`)
  }
  const reading =
    (type: 'gauge' | 'counter') => (name: string, help: string, read: () => Samples) =>
      add(type, name, help, (full) => {
        const value = read()
        const samples = typeof value === 'number' ? [['', value] as const] : value
        return samples.map(([labels, number]) => sampleLine(full, labels, number)).join('')
      })
  const counter = reading('counter')
  function histogram(name: string, help: string): Histogram {
    const made = createHistogram()
    add('histogram', name, help, made.lines)
    return made
  }
  const durations = histogram(
    'http_request_duration_seconds',
    'Requests of the API, by route and class of status',
  )
  counter('rate_limited_total', 'Requests refused for coming too soon', () => rateLimited)
  counter('unhandled_errors_total', 'Errors that reached the process itself', () => unhandledErrors)

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
    return (await processMetrics()) + [...texts.values()].map((text) => text()).join('')
  }

  return {
    request({ method, route, status, durationMs }: AnsweredRequest): void {
      const known = METHODS.has(method) ? method : 'other'
      const labels = `method="${known}",route="${route ?? 'none'}",status="${Math.floor(status / 100)}xx"`
      durations.observe(durationMs / 1_000, labels)
      if (status === 429) rateLimited++
    },
    /** An error reached the process itself. */
    unhandledError(): void {
      unhandledErrors++
    },
    /** Adds a number that goes up and down. */
    gauge: reading('gauge'),
    /** Adds a number that only grows; its name ends in `_total`. */
    counter,
    /** Adds durations in seconds. */
    histogram,
    /** The metrics in Prometheus's text format. */
    render,
    /** The answer to `/metrics`, or null for any other path and for a client that may not see it. */
    answer(request: Request, path: string, peer: string): Response | Promise<Response> | null {
      if (path !== '/metrics' || !mayRead(request, peer)) return null
      const expose = async () =>
        new Response(await render(), { headers: watchHeaders(METRICS_TYPE) })
      return otherMethod(request) ?? expose()
    },
  }
}
