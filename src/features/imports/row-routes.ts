import { z } from '@hono/zod-openapi'
import { type Api, endpoint } from '../../http/index.ts'
import { pageAnswer, pageParameters, pageSuccess, repeatable } from '../../http/page.ts'
import { JOB_EXAMPLE } from '../jobs/index.ts'
import { csvOf, ROW_COLUMNS, renderRow } from './rows.ts'
import { IMPORT_STATUSES, ROW_EXAMPLE, RowListSchema, UNDO_STATES } from './schemas.ts'
import type { ImportService } from './service.ts'

const PATH = '/api/v1/imports'
const TAG = 'Imports'

const Params = z.object({
  id: z.string().openapi({ description: "The id of the import's job.", example: JOB_EXAMPLE.id }),
})

const RowsFilter = z.object({
  status: repeatable(z.enum(IMPORT_STATUSES), IMPORT_STATUSES.length).openapi({
    param: { description: 'Only rows with this status; may be repeated.' },
    type: 'array',
    items: { type: 'string', enum: [...IMPORT_STATUSES] },
    maxItems: IMPORT_STATUSES.length,
  }),
  undo: repeatable(z.enum(UNDO_STATES), UNDO_STATES.length).openapi({
    param: { description: 'Only rows with this result of an undo; may be repeated.' },
    type: 'array',
    items: { type: 'string', enum: [...UNDO_STATES] },
    maxItems: UNDO_STATES.length,
  }),
})

const RowsQuery = RowsFilter.extend({
  ...pageParameters,
})

/** The results of an import's records: in pages, and as CSV. */
export function registerRowRoutes(
  api: Pick<Api, 'add'>,
  { imports }: { imports: ImportService },
): void {
  endpoint(api, {
    method: 'get',
    path: `${PATH}/{id}/rows`,
    scope: 'links:read',
    operationId: 'listImportRows',
    tag: TAG,
    summary: 'List the rows of an import',
    description:
      'The result of each record, in the order of the file. Of refused, of skipped, and of accepted ' +
      'records that changed nothing, only the first 10,000 each are kept; `rows_omitted` in the ' +
      'result of the job counts the others.',
    params: Params,
    query: RowsQuery,
    success: pageSuccess('One page of rows.', RowListSchema, ROW_EXAMPLE),
    errors: ['BAD_REQUEST', 'IMPORT_NOT_FOUND'],
    async handler(call) {
      const { data, pagination } = await imports.rows(call.caller, call.params.id, call.query)
      return pageAnswer(call, { data: data.map((row) => renderRow(row, call.locale)), pagination })
    },
  })

  endpoint(api, {
    method: 'get',
    path: `${PATH}/{id}/rows.csv`,
    scope: 'links:read',
    operationId: 'exportImportRows',
    tag: TAG,
    summary: 'Export the rows of an import as CSV',
    description:
      'RFC 4180 with a header row. A value that a spreadsheet would run as a formula has an ' +
      'apostrophe before it. A workspace may have 4 such exports open; beyond that the answer is 429.',
    params: Params,
    query: RowsFilter,
    success: {
      status: 200,
      description: 'The rows.',
      contentType: 'text/csv; charset=utf-8; header=present',
      schema: z.string(),
      headers: { 'Content-Disposition': 'A name for the file.' },
      example: `${ROW_COLUMNS.join(',')}\r\n17,refused,api,https://example.com/api,,slug,SLUG_RESERVED,…,\r\n`,
    },
    errors: ['IMPORT_NOT_FOUND'],
    async handler(call) {
      const { id } = call.params
      const { caller, locale, query, request } = call
      const pages = await imports.allRows(caller, id, query)
      return {
        status: 200,
        stream: () => imports.openExport(caller, () => csvOf(pages, locale), request.signal),
        headers: {
          'Content-Type': 'text/csv; charset=utf-8; header=present',
          'Content-Disposition': `attachment; filename="${id}.csv"`,
          'Cache-Control': 'no-store',
        },
      }
    },
  })
}
