import { z } from '@hono/zod-openapi'
import { recordExport } from '../../features/audit/index.ts'
import { endpoint } from '../../http/index.ts'
import type { CheckedQuery } from '../query.ts'
import { CLICK_EXAMPLE } from '../schemas.ts'
import { EXPORT_COLUMNS, type ExportFormat } from '../types.ts'
import { AUDIENCES, notFoundOf, pathParams, questionOf, READ, type Registration } from './parts.ts'

interface Format {
  name: string
  contentType: string
  description: string
  schema: z.ZodType
  example?: string
}

const CSV_ROW = EXPORT_COLUMNS.map((column) => CLICK_EXAMPLE[column] ?? '').join(',')

const FORMATS: Readonly<Record<ExportFormat, Format>> = {
  csv: {
    name: 'CSV',
    contentType: 'text/csv; charset=utf-8; header=present',
    description:
      'RFC 4180 with a header row; null is empty. A value that begins with `=`, `+`, `-`, `@`, a ' +
      'tab, a carriage return or an apostrophe has an apostrophe before it, so that no ' +
      'spreadsheet runs a visitor’s text as a formula; `raw=true` leaves it out.',
    schema: z.string(),
    example: `${EXPORT_COLUMNS.join(',')}\r\n${CSV_ROW}\r\n`,
  },
  ndjson: {
    name: 'NDJSON',
    contentType: 'application/x-ndjson',
    description: 'One JSON object a line.',
    schema: z.string(),
    example: `${JSON.stringify(CLICK_EXAMPLE)}\n`,
  },
  parquet: {
    name: 'Parquet',
    contentType: 'application/vnd.apache.parquet',
    description: 'For DuckDB, pandas and Spark; `clicked_at` is a timestamp in UTC.',
    schema: z.string().openapi({ format: 'binary' }),
  },
}

/** Exports of all clicks, as streams. */
export function registerExportRoutes({ api, deps, queries }: Registration): void {
  for (const audience of AUDIENCES) {
    const { of, prefix, operation, whose } = audience
    for (const format of Object.keys(FORMATS) as ExportFormat[]) {
      const { name, contentType, description, schema, example } = FORMATS[format]
      endpoint(api, {
        ...READ,
        path: `${prefix}/clicks.${format}`,
        operationId: `export${operation}Clicks${name}`,
        summary: `Export clicks of ${whose} as ${name}`,
        description:
          `All matching clicks, as far back as the plan keeps them. ${description} If an export ` +
          'is interrupted, the transfer ends incomplete, which HTTP clients report as an error. A ' +
          'workspace can have 4 exports open; ' +
          'beyond that the response is 429.',
        params: pathParams(audience, {}),
        query: queries[of][format === 'csv' ? 'csv' : 'export'],
        success: {
          status: 200,
          description: 'The clicks.',
          contentType,
          schema,
          headers: { 'Content-Disposition': 'A name for the file.' },
          ...(example !== undefined && { example }),
        },
        errors: notFoundOf(audience),
        async handler(call) {
          const question = questionOf(call)
          const { raw = false } = call.query as CheckedQuery
          const { signal } = call.request
          const { linkId } = question
          const file = `${linkId === null ? 'clicks' : `clicks-${linkId}`}.${format}`
          const start = await deps.statistics.export(question, { format, raw }, signal)
          return {
            status: 200,
            async stream() {
              const about = { format, ...(linkId !== null && { link_id: linkId }) }
              await recordExport(call, { of: 'clicks', file, at: deps.clock.now(), ...about })
              return start()
            },
            headers: {
              'Content-Type': contentType,
              'Content-Disposition': `attachment; filename="${file}"`,
              'Cache-Control': 'no-store',
            },
          }
        },
      })
    }
  }
}
