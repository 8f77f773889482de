import { ROOT_CONTEXT, SpanKind, SpanStatusCode, type TextMapGetter } from '@opentelemetry/api'
import { parseKeyPairsIntoRecord, W3CTraceContextPropagator } from '@opentelemetry/core'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import packageFile from '../../../package.json' with { type: 'json' }
import type { AnswerEvent } from '../../http/index.ts'
import type { TracingConfig } from '../../platform/config/index.ts'

type Handle<Rest extends unknown[]> = (
  request: Request,
  ...rest: Rest
) => Response | Promise<Response>

/** Traces of requests. */
export interface Tracing {
  /**
   * A handler with a span for each request, in the trace of its `traceparent` (W3C Trace Context).
   * @param route `http.route` of requests without an endpoint
   */
  traced<Rest extends unknown[]>(handle: Handle<Rest>, route?: string): Handle<Rest>
  /** Names a request's endpoint; an observer of the API. */
  answered(event: Pick<AnswerEvent, 'request' | 'requestId' | 'route'>): void
  /** Sends what waits. Never rejects. */
  close(): Promise<void>
}

const fromHeaders: TextMapGetter<Headers> = {
  get: (headers, name) => headers.get(name) ?? undefined,
  keys: (headers) => [...headers.keys()],
}

/**
 * Sends spans to a collector by OTLP over HTTP, in the background: a collector that is away costs
 * spans, and no request waits. They have no addresses, paths, queries or headers.
 * Attributes: https://opentelemetry.io/docs/specs/semconv/http/http-spans/
 */
export function openTracing({ endpoint, headers, serviceName, ratio }: TracingConfig): Tracing {
  const exporter = new OTLPTraceExporter({
    url: `${endpoint}/v1/traces`,
    headers: parseKeyPairsIntoRecord(headers.reveal()),
  })
  const attributes = { 'service.name': serviceName, 'service.version': packageFile.version }
  const provider = new TracerProvider({
    resource: defaultResource().merge(resourceFromAttributes(attributes)),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('slugline', packageFile.version)
  const propagator = new W3CTraceContextPropagator()
  const endpoints = new WeakMap<Request, Pick<AnswerEvent, 'requestId' | 'route'>>()
  return {
    traced:
      (handle, ofAll) =>
      async (request, ...rest) => {
        const { method } = request
        const parent = propagator.extract(ROOT_CONTEXT, request.headers, fromHeaders)
        const attributes = { 'http.request.method': method }
        const span = tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, parent)
        const failed = () => span.setStatus({ code: SpanStatusCode.ERROR })
        try {
          const response = await handle(request, ...rest)
          const { status } = response
          const { requestId, route = null } = endpoints.get(request) ?? {}
          const name = route ?? ofAll
          if (name !== undefined)
            span.updateName(`${method} ${name}`).setAttribute('http.route', name)
          if (requestId !== undefined) span.setAttribute('slugline.request_id', requestId)
          span.setAttribute('http.response.status_code', status)
          if (status >= 500) failed().setAttribute('error.type', String(status))
          return response
        } catch (error) {
          failed().setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
          throw error
        } finally {
          span.end()
        }
      },
    answered: ({ request, ...about }) => void endpoints.set(request, about),
    close: () => provider.shutdown().catch(() => {}),
  }
}
