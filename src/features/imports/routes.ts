import { z } from '@hono/zod-openapi'
import type { Caller } from '../../http/callers.ts'
import { type Api, endpoint, queryOf, validate } from '../../http/index.ts'
import { pageAnswer, pageParameters, pageSuccess } from '../../http/page.ts'
import type { Answer, Call } from '../../http/types.ts'
import { checked } from '../../lib/validation/checked.ts'
import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { checkDomain } from '../../model/links/values.ts'
import { writerOf } from '../audit/index.ts'
import {
  JOB_EXAMPLE,
  JOBS_PATH,
  JobListSchema,
  type JobRow,
  JobSchema,
  renderJob,
} from '../jobs/index.ts'
import { registerRowRoutes } from './row-routes.ts'
import { createFileOptions, createOptions, createRemoteBody, PreviewSchema } from './schemas.ts'
import type { ImportService } from './service.ts'
import { UPLOAD_EXAMPLES } from './upload.ts'
import type { Upload } from './uploads.ts'

const PATH = '/api/v1/imports'
const TAG = 'Imports'
const PREVIEW_ROWS = 5

const EXAMPLE = {
  ...JOB_EXAMPLE,
  type: 'imports.file',
  name: 'bitly.csv',
  progress: { done: 4000, total: 12408, failed: 12 },
  result: { created: 3_980, updated: 0, skipped: 8, refused: 12 },
}

const Params = z.object({
  id: z.string().openapi({ description: "The id of the import's job.", example: JOB_EXAMPLE.id }),
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

type Transaction = Parameters<ImportService['start']>[0]

/** Responds with a job. A dry run doesn't use the idempotency key up. */
async function answerWithJob(
  { write }: Pick<ImportService, 'write'>,
  call: Pick<Call<Caller>, 'caller' | 'mutate' | 'locale'>,
  isDry: boolean,
  start: (tx: Transaction) => Promise<JobRow>,
): Promise<Answer> {
  const work = async (tx: Transaction): Promise<Answer> => {
    const row = await start(tx)
    const headers = { Location: `${JOBS_PATH}/${row.id}` }
    return { status: 202, body: renderJob(row, call), headers }
  }
  if (!isDry) return call.mutate(work)
  const answer = await write(call.caller, work)
  return { ...answer, headers: { ...answer.headers, 'Dry-Run': 'true' } }
}

type Asking = Pick<Call<Caller>, 'caller' | 'request'>

/** The endpoints of imports: upload, preview, rows, undo. */
export function registerImportRoutes(api: Pick<Api, 'add'>, deps: Deps): void {
  const { imports } = deps
  const domain = checked(z.string(), (host, workspaceNo) => {
    const no = checkDomain(host, imports.domains, workspaceNo)
    return no instanceof ValidationIssue ? no : host
  })
  const options = createFileOptions(domain)

  /** Form fields are equivalent to query parameters. */
  function optionsOf<O>(query: O, { fields }: Upload, { caller, request: { url } }: Asking) {
    // Without fields the parameters are validated already.
    if (Object.keys(fields).length === 0) return query
    const given = Object.entries(queryOf(url)).filter(([name]) => !OF_ALL.includes(name))
    const all = { ...fields, ...Object.fromEntries(given) }
    return validate(options, all, { workspaceNo: caller.workspace.no })
  }

  endpoint(api, {
    method: 'post',
    path: PATH,
    scope: 'links:write',
    operationId: 'importLinks',
    tag: TAG,
    summary: 'Import a file',
    description:
      'A CSV, NDJSON or JSON file of at most 200 MiB in UTF-8: an export of Slugline, of another ' +
      'service, or a table of your own. The parameters may also be fields of a multipart body, ' +
      'whose file is called `file`. The response is a job; its rows have the result of each ' +
      'record. With `dry_run` no link is written.',
    query: options.strip(),
    upload: {
      types: UPLOAD_EXAMPLES,
      receive: ({ caller, request }) => imports.receive(caller, request),
    },
    success: accepted('The job.'),
    errors: ['FILE_UNREADABLE', 'IMPORTS_FULL', 'TOO_MANY_JOBS'],
    async handler(call) {
      const upload = call.body as unknown as Upload
      return imports.keepIfUsed(upload, async () => {
        const asked = optionsOf(call.query, upload, call)
        return answerWithJob(imports, call, asked.dry_run, (tx) =>
          imports.start(tx, writerOf(call), upload, asked),
        )
      })
    },
  })

  endpoint(api, {
    method: 'post',
    path: `${PATH}/preview`,
    scope: 'links:write',
    safe: true,
    operationId: 'previewImport',
    tag: TAG,
    summary: 'Preview an import file',
    description:
      'Detects the file’s format and columns, and returns its first records. The beginning of a ' +
      'file is enough; nothing is kept.',
    upload: {
      types: UPLOAD_EXAMPLES,
      receive: async ({ request }) => ({
        digest: '',
        preview: await imports.preview(request, PREVIEW_ROWS),
      }),
    },
    success: { status: 200, description: 'The preview.', schema: PreviewSchema },
    errors: ['FILE_UNREADABLE'],
    handler: (call) => ({
      status: 200,
      body: (call.body as unknown as { preview: object }).preview,
    }),
  })

  registerNextRoutes(api, deps)
  registerReadRoutes(api, deps)
  registerRemoteRoute(api, deps, domain)
  registerRowRoutes(api, deps)
}

/** What can be done with an import or a dry run that has ended. */
function registerNextRoutes(api: Pick<Api, 'add'>, { imports }: Deps): void {
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
      '`{"import_id","deleted","restored","kept"}`.',
    params: Params,
    dryRun: true,
    success: accepted('The job.'),
    errors: ['IMPORT_NOT_FOUND', 'IMPORT_RUNNING', 'TOO_MANY_JOBS'],
    handler: (call) =>
      answerWithJob(imports, call, false, (tx) => imports.undo(tx, writerOf(call), call.params.id)),
  })

  endpoint(api, {
    method: 'post',
    path: `${PATH}/{id}/start`,
    scope: 'links:write',
    operationId: 'startImport',
    tag: TAG,
    summary: 'Import a checked file',
    description:
      'A job that imports the file of a dry run, with the same options, without sending it again. The ' +
      'files of the last three dry runs of a workspace that succeeded are kept for 24 hours; each ' +
      'can be imported once.',
    params: Params,
    dryRun: true,
    success: accepted('The job.'),
    errors: ['IMPORT_NOT_FOUND', 'IMPORT_RUNNING', 'IMPORT_FILE_GONE', 'TOO_MANY_JOBS'],
    handler: (call) =>
      answerWithJob(imports, call, false, (tx) =>
        imports.startChecked(tx, writerOf(call), call.params.id),
      ),
  })
}

function registerReadRoutes(api: Pick<Api, 'add'>, { imports }: Deps): void {
  endpoint(api, {
    method: 'get',
    path: PATH,
    scope: 'links:read',
    operationId: 'listImports',
    tag: TAG,
    summary: 'List imports',
    description:
      'The jobs of imports, dry runs included, without undos. They are kept for 30 days after ' +
      'their end.',
    query: z.object(pageParameters),
    success: pageSuccess('One page of imports, the newest first.', JobListSchema, EXAMPLE),
    errors: ['BAD_REQUEST'],
    async handler(call) {
      const { data, pagination } = await imports.list(call.caller, call.query)
      return pageAnswer(call, { data: data.map((row) => renderJob(row, call)), pagination })
    },
  })

  endpoint(api, {
    method: 'get',
    path: `${PATH}/{id}`,
    scope: 'links:read',
    operationId: 'getImport',
    tag: TAG,
    summary: 'Get an import',
    params: Params,
    success: {
      status: 200,
      description: "The import's job as it is now.",
      schema: JobSchema,
      example: EXAMPLE,
    },
    errors: ['IMPORT_NOT_FOUND'],
    handler: async (call) => ({
      status: 200,
      body: renderJob(await imports.get(call.caller, call.params.id), call),
    }),
  })
}

function registerRemoteRoute(
  api: Pick<Api, 'add'>,
  { imports }: Deps,
  domain: z.ZodType<string>,
): void {
  const { dry_run } = createOptions(domain)
  endpoint(api, {
    method: 'post',
    path: `${PATH}/remote`,
    scope: 'links:write',
    operationId: 'importFromService',
    tag: TAG,
    summary: 'Import from a running service',
    description:
      'A job that reads all links of Shlink, Kutt, YOURLS, Dub, Bitly or Short.io over its API, ' +
      'page by page, and imports them. It waits as long as the service requests, at most five ' +
      'minutes each time. Responses of more than 8 MiB or 10,000 records, and more than 50,000 pages ' +
      'or 24 hours, end it.',
    query: z.object({ dry_run }),
    body: createRemoteBody(domain),
    bodyExample: { source: 'shlink', base_url: 'https://s.example.org', token: '…' },
    success: accepted('The job.'),
    errors: ['TOO_MANY_JOBS'],
    async handler(call) {
      const { base_url, ...options } = call.body
      const baseUrl = await imports.addressOf(options.source, base_url)
      const asked = { ...options, baseUrl, ...call.query }
      return answerWithJob(imports, call, asked.dry_run, (tx) =>
        imports.startRemote(tx, writerOf(call), asked),
      )
    },
  })
}

/** Parameters allowed in every request. */
const OF_ALL = ['lang', 'workspace']
