import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import packageFile from '../../../package.json' with { type: 'json' }

/** The library's metrics that are meaningful with this runtime. */
const USEFUL = /^process_(?!heap)|^nodejs_eventloop_lag_(seconds|max|p\d+)|^nodejs_heap_size_/

const registry = new Registry()
const everything = new Registry()
collectDefaultMetrics({ register: everything, eventLoopMonitoringPrecision: 20 })
for (const metric of everything.getMetricsAsArray()) {
  if (USEFUL.test(metric.name)) registry.registerMetric(metric as unknown as Metric)
}
new Gauge({
  name: 'slugline_build_info',
  help: '1, with the versions as labels',
  labelNames: ['version', 'bun'],
  registers: [registry],
}).set({ version: packageFile.version, bun: Bun.version }, 1)

/** Memory, CPU, descriptors and event loop of this process, in Prometheus's text format. */
export const processMetrics = (): Promise<string> => registry.metrics()
