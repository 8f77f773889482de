import { otherMethod, watchHeaders } from './answers.ts'
import { type Counted, DURATION_BUCKETS, type WatchedValue } from './counted.ts'
import { isForwarded, isLoopback, isLoopbackHost } from './loopback.ts'

/** An answer of the API, as the HTTP layer tells of it. */
export interface AnsweredRequest {
  method: string
  /** The endpoint's path with its parameters in braces; null where there is no such endpoint. */
  route: string | null
  status: number
  durationMs: number
}

/**
 * Counts what happens, in plain numbers; they are only turned into Prometheus's format, by a
 * library loaded then, when somebody asks for `/metrics`.
 */
export interface Metrics {
  request(answered: AnsweredRequest): void
  /** The redirect's own counts, by what a visit led to. They are read at each scrape. */
  watchRedirects(counts: Readonly<Record<string, number>>): void
  /** An error reached the process itself. */
  unhandledError(): void
  /** Adds a value that somebody else keeps. */
  watch(value: WatchedValue): void
  /** The metrics in Prometheus's text format. */
  render(): Promise<string>
  /** The answer to `/metrics`, or null for any other path and for whoever may not see it. */
  answer(request: Request, path: string, peer: string): Response | Promise<Response> | null
}

/** Methods that a series of their own may be made for; others come from hostile requests. */
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'])

/**
 * @param access `local`: only for this machine's own requests, addressed to a loopback name and
 *   forwarded by nobody. A proxy on this machine that hides itself can't be told apart: then
 *   METRICS=off, or a rule in that proxy, is the fence.
 */
export function createMetrics(access: 'local' | 'public' | 'off'): Metrics {
  const counted: Counted = {
    requests: new Map(),
    redirects: {},
    rateLimited: 0,
    unhandledErrors: 0,
    watched: [],
  }
  let exposition: { metrics(): Promise<string>; contentType: string } | undefined

  async function open() {
    const { createExposition } = await import('./exposition.ts')
    exposition ??= createExposition(counted)
    return exposition
  }

  function mayRead(request: Request, peer: string): boolean {
    if (access !== 'local') return access === 'public'
    return (
      isLoopback(peer) &&
      isLoopbackHost(request.headers.get('host') ?? '') &&
      !isForwarded(request.headers)
    )
  }

  async function expose(): Promise<Response> {
    const registry = await open()
    const text = await registry.metrics()
    return new Response(text, { headers: watchHeaders(registry.contentType) })
  }

  return {
    request({ method, route, status, durationMs }) {
      const known = METHODS.has(method) ? method : 'other'
      const path = route ?? 'none'
      const statusClass = `${Math.floor(status / 100)}xx`
      const key = `${known} ${path} ${statusClass}`
      let series = counted.requests.get(key)
      if (series === undefined) {
        const buckets = DURATION_BUCKETS.map(() => 0)
        series = { method: known, route: path, statusClass, count: 0, seconds: 0, buckets }
        counted.requests.set(key, series)
      }
      if (status === 429) counted.rateLimited++
      const seconds = durationMs / 1000
      series.count++
      series.seconds += seconds
      const bucket = DURATION_BUCKETS.findIndex((bound) => seconds <= bound)
      if (bucket >= 0) series.buckets[bucket] = (series.buckets[bucket] as number) + 1
    },
    watchRedirects(counts) {
      counted.redirects = counts
    },
    unhandledError() {
      counted.unhandledErrors++
    },
    watch(value) {
      if (exposition !== undefined) throw new Error('Metrics are watched before the first scrape')
      counted.watched.push(value)
    },
    render: async () => (await open()).metrics(),
    answer(request, path, peer) {
      if (path !== '/metrics' || !mayRead(request, peer)) return null
      return otherMethod(request) ?? expose()
    },
  }
}
