import { Secret } from '../../lib/base/secret.ts'
import { BadValue } from './parse.ts'
import type { Get } from './variables.ts'

/** Where traces of requests are sent; the variables are those of OpenTelemetry. */
export type TracingConfig = NonNullable<ReturnType<typeof tracingOf>>

/** The collector, if set. */
export function tracingOf(get: Get) {
  const endpoint = get('OTEL_EXPORTER_OTLP_ENDPOINT', collector, null)
  const others = {
    /** Headers for the collector, which may hold a token: `name=value,…`. */
    headers: get('OTEL_EXPORTER_OTLP_HEADERS', (value) => new Secret(value), new Secret('')),
    serviceName: get('OTEL_SERVICE_NAME', (value) => value, 'slugline'),
    /** The part of the traces that are sent, of those which begin here. */
    ratio: get('OTEL_TRACES_SAMPLER_ARG', ratio, 1),
  }
  return endpoint === null ? null : { endpoint, ...others }
}

const EXAMPLE = 'http://localhost:4318'

/** A URL without a trailing slash. */
function collector(value: string): string {
  const url = URL.parse(value)
  if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== '') {
    throw new BadValue("isn't an http or https URL without a password", EXAMPLE)
  }
  return url.href.replace(/\/+$/, '')
}

function ratio(value: string): number {
  const number = /^(0(\.\d{1,9})?|1(\.0{1,9})?)$/.test(value) ? Number(value) : Number.NaN
  if (Number.isNaN(number)) throw new BadValue("isn't a number from 0 to 1", '0.1')
  return number
}
