import { Counter, collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import packageFile from '../../package.json' with { type: 'json' }
import { type Counted, DURATION_BUCKETS } from './counted.ts'

/** Of the library's own metrics those that say something under this runtime. */
const USEFUL = /^process_(?!heap)|^nodejs_eventloop_lag_(seconds|max|p\d+)|^nodejs_heap_size_/

/** Turns what was counted into Prometheus's text format. Loaded at the first scrape. */
export function createExposition(counted: Counted): Registry {
  const registry = new Registry()
  const registers = [registry]
  const everything = new Registry()
  collectDefaultMetrics({ register: everything, eventLoopMonitoringPrecision: 20 })
  for (const metric of everything.getMetricsAsArray()) {
    if (USEFUL.test(metric.name)) registry.registerMetric(metric as unknown as Metric)
  }
  registry.registerMetric(requestDurations(counted) as unknown as Metric)
  new Gauge({
    name: 'slugline_build_info',
    help: '1; its labels say what runs',
    labelNames: ['version', 'bun'],
    registers,
  }).set({ version: packageFile.version, bun: Bun.version }, 1)
  new Counter({
    name: 'slugline_redirects_total',
    help: 'Visits of short links, by what they led to',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(counted.redirects)) this.inc({ outcome }, count)
    },
  })
  new Counter({
    name: 'slugline_rate_limited_total',
    help: 'Requests refused for coming too soon',
    registers,
    collect() {
      this.reset()
      this.inc(counted.rateLimited)
    },
  })
  new Counter({
    name: 'slugline_unhandled_errors_total',
    help: 'Errors that reached the process itself',
    registers,
    collect() {
      this.reset()
      this.inc(counted.unhandledErrors)
    },
  })
  for (const { name, help, type, read } of counted.watched) {
    const options = { name: `slugline_${name}`, help, registers }
    if (type === 'gauge') {
      new Gauge({
        ...options,
        collect() {
          this.set(read())
        },
      })
    } else {
      new Counter({
        ...options,
        collect() {
          this.reset()
          this.inc(read())
        },
      })
    }
  }
  return registry
}

/** A histogram whose counting is done already: prom-client's own can only observe. */
function requestDurations({ requests }: Counted) {
  const name = 'slugline_http_request_duration_seconds'
  return {
    name,
    async get() {
      const values = []
      for (const { method, route, statusClass, count, seconds, buckets } of requests.values()) {
        const labels = { method, route, status: statusClass }
        let cumulated = 0
        for (const [index, bound] of DURATION_BUCKETS.entries()) {
          cumulated += buckets[index] as number
          values.push({
            labels: { ...labels, le: bound },
            value: cumulated,
            metricName: `${name}_bucket`,
          })
        }
        values.push({
          labels: { ...labels, le: '+Inf' },
          value: count,
          metricName: `${name}_bucket`,
        })
        values.push({ labels, value: seconds, metricName: `${name}_sum` })
        values.push({ labels, value: count, metricName: `${name}_count` })
      }
      const help = 'Requests of the API, by route and class of status'
      return { name, help, type: 'histogram', aggregator: 'sum', values }
    },
  }
}
