import { z } from '@hono/zod-openapi'
import { askerOf } from '../audit/index.ts'
import { type Api, endpoint, validate } from '../http/index.ts'
import { pageLinks, repeatable } from '../http/page.ts'
import type { Answer, Call, Caller } from '../http/types.ts'
import type { Locale } from '../i18n/index.ts'
import { JOB_EXAMPLE, JOBS_PATH, type JobRow, JobSchema, renderJob } from '../jobs/index.ts'
import { checkDomain } from '../links/values.ts'
import { checkingFor } from '../validation/asking.ts'
import { checked, whole } from '../validation/checked.ts'
import { Fault } from '../validation/fault.ts'
import { csvOf, ROW_COLUMNS, renderRow } from './rows.ts'
import {
  createFileOptions,
  IMPORT_STATUSES,
  PreviewSchema,
  ROW_EXAMPLE,
  RowListSchema,
  UNDO_STATES,
} from './schemas.ts'
import type { ImportService, Upload } from './service.ts'
import { UPLOAD_TYPES } from './upload.ts'

const PATH = '/api/v1/imports'
const TAG = 'Imports'
const LIMIT = { default: 25, max: 100 }
const PREVIEW_ROWS = 5

const EXAMPLE = {
  ...JOB_EXAMPLE,
  type: 'imports.file',
  progress: { done: 4000, total: 12408, failed: 12 },
  result: { created: 3_980, updated: 0, skipped: 8, refused: 12 },
}

const Params = z.object({
  id: z.string().openapi({ description: "The id of the import's job.", example: JOB_EXAMPLE.id }),
})

const RowsFilter = z.object({
  status: repeatable(z.enum(IMPORT_STATUSES), IMPORT_STATUSES.length).openapi({
    param: { description: 'Only rows with this status; may be repeated.' },
    type: 'array',
    items: { type: 'string', enum: [...IMPORT_STATUSES] },
  }),
  undo: repeatable(z.enum(UNDO_STATES), UNDO_STATES.length).openapi({
    param: { description: 'Only rows that an undo has dealt with so; may be repeated.' },
    type: 'array',
    items: { type: 'string', enum: [...UNDO_STATES] },
  }),
})

const RowsQuery = RowsFilter.extend({
  limit: whole(LIMIT.max)
    .optional()
    .openapi({
      param: { description: `The most rows of a page. Default: ${LIMIT.default}.` },
      type: 'integer',
      minimum: 1,
      maximum: LIMIT.max,
      example: LIMIT.default,
    }),
  cursor: z
    .string()
    .optional()
    .openapi({ param: { description: '`next_cursor` of the page before.' } }),
})

interface Deps {
  imports: ImportService
}

const accepted = (description: string) => ({
  status: 202 as const,
  description,
  schema: JobSchema,
  headers: { Location: 'The path of the job.' },
  example: EXAMPLE,
})

/** The answer to a request that asks for a job. */
function jobAnswer(row: JobRow, call: { readonly locale: Locale }): Answer {
  return {
    status: 202,
    body: renderJob(row, call),
    headers: { Location: `${JOBS_PATH}/${row.id}` },
  }
}

type Asking = Pick<Call<Caller>, 'caller' | 'request'>

/** The endpoints of imports: of a file, its preview, the rows, undo. */
export function registerImportRoutes(api: Pick<Api, 'add'>, deps: Deps): void {
  const { imports } = deps
  const domain = checked(z.string(), (host) => {
    const no = checkDomain(host, imports.domains)
    return no instanceof Fault ? no : host
  })
  const options = createFileOptions(domain)

  /** Fields of a form count as parameters do. */
  function optionsOf<O>(query: O, { fields }: Upload, { caller, request: { url } }: Asking) {
    // Without fields the parameters are checked already.
    if (Object.keys(fields).length === 0) return query
    const given = [...new URL(url).searchParams].filter(([name]) => !OF_ALL.includes(name))
    const all = { ...fields, ...Object.fromEntries(given) }
    return checkingFor(caller.workspace.no, () => validate(options, all))
  }

  endpoint(api, {
    method: 'post',
    path: PATH,
    scope: 'links:write',
    operationId: 'importLinks',
    tag: TAG,
    summary: 'Import a file',
    description:
      'A CSV, NDJSON or JSON file of at most 200 MB in UTF-8: an export of Slugline, of another ' +
      'service, or a table of your own. The parameters may also be fields of a multipart body, whose ' +
      'file is called `file`. The answer is a job; its rows tell what became of each record. With ' +
      '`dry_run` no link is written.',
    query: options,
    upload: {
      types: UPLOAD_TYPES,
      receive: ({ request }) => imports.receive(request),
    },
    success: accepted('The job.'),
    async handler(call) {
      const upload = call.body as unknown as Upload
      return imports.keepIfUsed(upload, async () => {
        const asked = optionsOf(call.query, upload, call)
        const start = async (tx: Parameters<typeof imports.start>[0]) =>
          jobAnswer(await imports.start(tx, askerOf(call), upload, asked), call)
        if (!asked.dry_run) return call.mutate(start)
        // A dry run uses no idempotency key up.
        const answer = await imports.write(call.caller, start)
        return { ...answer, headers: { ...answer.headers, 'Dry-Run': 'true' } }
      })
    },
  })

  endpoint(api, {
    method: 'post',
    path: `${PATH}/preview`,
    scope: 'links:write',
    operationId: 'previewImport',
    tag: TAG,
    summary: 'Preview a file',
    description:
      'Whose file it is, which column holds what, and its first records. The beginning of a file is ' +
      'enough; nothing is kept.',
    upload: {
      types: UPLOAD_TYPES,
      receive: async ({ request }) => ({
        digest: '',
        preview: await imports.preview(request, PREVIEW_ROWS),
      }),
    },
    success: { status: 200, description: 'The preview.', schema: PreviewSchema },
    handler: (call) => ({
      status: 200,
      body: (call.body as unknown as { preview: object }).preview,
    }),
  })

  endpoint(api, {
    method: 'post',
    path: `${PATH}/{id}/undo`,
    scope: 'links:write',
    operationId: 'undoImport',
    tag: TAG,
    summary: 'Undo an import',
    description:
      'A job that deletes the links that the import made, and sets back those that it changed. Links ' +
      'that were changed since stay; the rows with `undo=kept` name them. Its result is ' +
      '`{"deleted","restored","kept"}`.',
    params: Params,
    dryRun: true,
    success: accepted('The job.'),
    errors: ['JOB_NOT_FOUND', 'IMPORT_RUNNING'],
    handler: (call) =>
      call.mutate(async (tx) =>
        jobAnswer(await imports.undo(tx, askerOf(call), call.params.id), call),
      ),
  })

  registerRowRoutes(api, deps)
}

/** Parameters of every request. */
const OF_ALL = ['lang', 'workspace']

function registerRowRoutes(api: Pick<Api, 'add'>, { imports }: Deps): void {
  endpoint(api, {
    method: 'get',
    path: `${PATH}/{id}/rows`,
    scope: 'links:read',
    operationId: 'listImportRows',
    tag: TAG,
    summary: 'List the rows of an import',
    description: 'What became of each record, in the order of the file.',
    params: Params,
    query: RowsQuery,
    success: {
      status: 200,
      description: 'One page of rows.',
      schema: RowListSchema,
      headers: { Link: 'The next and the first page (RFC 8288).' },
      example: {
        data: [ROW_EXAMPLE],
        pagination: { limit: LIMIT.default, has_more: false, next_cursor: null },
      },
    },
    errors: ['BAD_REQUEST', 'JOB_NOT_FOUND'],
    async handler(call) {
      const { limit = LIMIT.default, ...query } = call.query
      const { data, pagination } = await imports.rows(call.caller, call.params.id, {
        limit,
        ...query,
      })
      const position = { ...pagination, prev_cursor: null }
      const headers = { Link: pageLinks(call.baseUrl, call.request.url, position) }
      const body = { data: data.map((row) => renderRow(row, call.locale)), pagination }
      return { status: 200, body, headers }
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
      'apostrophe before it.',
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
    errors: ['JOB_NOT_FOUND'],
    async handler(call) {
      const { id } = call.params
      const pages = await imports.allRows(call.caller, id, call.query)
      const { locale } = call
      return {
        status: 200,
        stream: async () => csvOf(pages, locale),
        headers: {
          'Content-Type': 'text/csv; charset=utf-8; header=present',
          'Content-Disposition': `attachment; filename="${id}.csv"`,
          'Cache-Control': 'no-store',
        },
      }
    },
  })
}
