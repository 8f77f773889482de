import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { askedOf, type CheckedQuery, type QuerySchemas } from '../query.ts'
import { CLICK_EXAMPLE } from '../schemas.ts'
import { EXPORT_COLUMNS, type ExportFormat } from '../types.ts'
import { AUDIENCES, linkIdOf, pathParams, type StatisticsRoutesDeps, TAG } from './parts.ts'

interface Form {
  name: string
  contentType: string
  description: string
  schema: z.ZodType
  example?: string
}

const CSV_ROW = EXPORT_COLUMNS.map((column) => CLICK_EXAMPLE[column] ?? '').join(',')

const FORMS: Readonly<Record<ExportFormat, Form>> = {
  csv: {
    name: 'CSV',
    contentType: 'text/csv; charset=utf-8; header=present',
    description:
      'RFC 4180 with a header row; null is empty. A value that begins with `=`, `+`, `-`, `@`, a ' +
      'tab, a carriage return or an apostrophe has an apostrophe before it, so that no ' +
      'spreadsheet runs what a visitor wrote; take one off to have the value.',
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
    description: 'For DuckDB, pandas, Spark and the like; `clicked_at` is a timestamp in UTC.',
    schema: z.string().openapi({ format: 'binary' }),
  },
}

/** Everything out, in a form, as a stream. */
export function registerExportRoutes(
  api: Pick<Api, 'add'>,
  deps: StatisticsRoutesDeps,
  queries: QuerySchemas,
): void {
  for (const audience of AUDIENCES) {
    const { of, prefix, operation, whose } = audience
    for (const format of Object.keys(FORMS) as ExportFormat[]) {
      const { name, contentType, description, schema, example } = FORMS[format]
      endpoint(api, {
        method: 'get',
        path: `${prefix}/clicks.${format}`,
        scope: 'links:read',
        operationId: `export${operation}Clicks${name}`,
        tag: TAG,
        summary: `Export clicks of ${whose} as ${name}`,
        description:
          `All clicks that fit, as far back as the plan keeps them. ${description} An export ` +
          'that breaks off is never complete by its transfer coding. A workspace may have 4 ' +
          'under way; beyond that the answer is 429.',
        params: pathParams(audience, {}),
        query: queries[of].export,
        success: {
          status: 200,
          description: 'The clicks.',
          contentType,
          schema,
          headers: { 'Content-Disposition': 'A name for the file.' },
          ...(example !== undefined && { example }),
        },
        errors: ['LINK_NOT_FOUND'],
        async handler({ caller, params, query: checked, request: { signal } }) {
          const id = linkIdOf(params)
          const asked = askedOf(checked as CheckedQuery)
          return {
            status: 200,
            stream: await deps.statistics.export(caller, id, asked, format, signal),
            headers: {
              'Content-Type': contentType,
              'Content-Disposition': `attachment; filename="${id === null ? 'clicks' : `clicks-${id}`}.${format}"`,
              'Cache-Control': 'no-store',
            },
          }
        },
      })
    }
  }
}
