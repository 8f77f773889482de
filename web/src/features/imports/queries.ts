import { queryOptions } from '@tanstack/react-query'
import { api, ok, open, type Schemas } from '../../api/client.ts'
import { workspaceKey } from '../../api/workspace-key.ts'
import type { Job } from '../jobs/queries.ts'

export type Row = Schemas['ImportRow']
export type Preview = Schemas['ImportPreview']
export type RemoteBody = Schemas['ImportRemote']

/** Options of an import. */
export interface Options {
  format: string
  mapping: Readonly<Record<string, string>> | null
  domain: string
  folder_id: string | null
  on_conflict: 'skip' | 'update' | 'rename' | 'fail'
}

/** What to import: kept while the page is open, so that a checked import can be started. */
export type Plan =
  | { kind: 'file'; file: File; options: Options }
  | { kind: 'service'; body: RemoteBody }

/** The beginning of a file, enough to detect its format. */
const HEAD_BYTES = 262_144
/** A large file takes long to upload. */
const UPLOAD_MS = 30 * 60_000
const ROWS = 100
/** The longest name of a file that the server takes. */
const NAME_MAX = 255

const TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
}

const typeOf = ({ name }: File) => TYPES[name.toLowerCase().split('.').at(-1) ?? ''] ?? 'text/csv'

async function upload(path: string, file: File, part: Blob, query: Record<string, string>) {
  const raw = { body: part, type: typeOf(file) }
  const answer = await open('POST', path, { query, raw, timeoutMs: UPLOAD_MS })
  return answer.json()
}

/** The format, mapping and first records of a file. */
export function previewFile(file: File): Promise<Preview> {
  return upload('/api/v1/imports/preview', file, file.slice(0, HEAD_BYTES), {})
}

/** Starts an import, or its dry run. */
export function startImport(plan: Plan, dryRun: boolean): Promise<Job> {
  const dry = dryRun ? { dry_run: 'true' as const } : {}
  if (plan.kind === 'service') {
    const { body } = plan
    return ok(api.POST('/api/v1/imports/remote', { body, params: { query: dry } as never }))
  }
  const { file, options } = plan
  const { format, mapping, domain, folder_id, on_conflict } = options
  return upload('/api/v1/imports', file, file, {
    ...dry,
    on_conflict,
    file_name: [...file.name].slice(0, NAME_MAX).join(''),
    ...(mapping === null ? { format } : { mapping: JSON.stringify(mapping) }),
    ...(domain !== '' && { domain }),
    ...(folder_id !== null && { folder_id }),
  })
}

/** Imports the file of a dry run, which the server has kept. */
export function startChecked(id: string): Promise<Job> {
  return ok(api.POST('/api/v1/imports/{id}/start', { params: { path: { id } } }))
}

/** The records with messages. */
export function rowsQuery(workspace: string, id: string, undo: boolean) {
  const query = {
    limit: ROWS,
    ...(undo
      ? { undo: ['kept' as const] }
      : { status: ['refused' as const, 'skipped' as const, 'renamed' as const] }),
  }
  return queryOptions({
    queryKey: workspaceKey(workspace, 'imports', id, query),
    queryFn: ({ signal }) =>
      ok(api.GET('/api/v1/imports/{id}/rows', { params: { path: { id }, query }, signal })),
  })
}
