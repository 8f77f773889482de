import { randomBytes } from 'node:crypto'
import type { Cursors } from '../../http/cursor.ts'
import { pageOf } from '../../http/page.ts'
import { type Ids, lowestIdAt } from '../../lib/base/ids.ts'
import { NONCE_BYTES, seal } from '../../lib/base/seal.ts'
import { viewOf as linksSeenBy } from '../../lib/base/view.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { AddressNotAllowed } from '../../platform/outgoing/index.ts'
import type { Storage, Transaction } from '../../platform/storage/index.ts'
import type { Principal } from '../audit/index.ts'
import type { JobReader, JobRun, JobService } from '../jobs/index.ts'
import { type FileInput, importFile } from './files.ts'
import { type FormatName, type Mapping, recognize } from './formats/index.ts'
import { type ReadRecord, START, UnreadableFile } from './records.ts'
import { importRemote, type RemoteDeps, type RemoteInput } from './remote.ts'
import type { ImportInput } from './run.ts'
import { SOURCES, type SourceName } from './sources/index.ts'
import type { ImportState } from './state.ts'
import {
  deleteAll,
  deleteImport,
  endedImports,
  forgottenUpload,
  type ImportRow,
  insertImport,
  listRows,
  nextImport,
  type RowsFilter,
  type RowsView,
} from './store.ts'
import { type UndoState, undoImport } from './undo.ts'
import { createUploads, type Upload } from './uploads.ts'

/** The job types of imports; dry runs have their own, so that lists of jobs show the difference. */
const JOBS = {
  file: { real: 'imports.file', dry: 'imports.file.dry_run' },
  remote: { real: 'imports.remote', dry: 'imports.remote.dry_run' },
} as const
const UNDO = 'imports.undo'
const OF_IMPORTS: readonly string[] = Object.values(JOBS).flatMap(Object.values<string>)

/** An upload without a job for so long is abandoned. */
const FORGOTTEN_MS = 24 * 3_600_000
/** Rows read per query. */
const STEP = 1_000

/** Dependencies of the imports. */
export interface ImportServiceDeps extends RemoteDeps {
  ids: Ids
  cursors: Cursors
  jobs: Pick<JobService, 'assertRoom' | 'enqueue' | 'find' | 'list' | 'register'>
}

export type ImportService = ReturnType<typeof createImportService>

/** Imports of files and from other services: jobs with dry runs and undo. */
export function createImportService(deps: ImportServiceDeps) {
  const { storage, jobs, cursors } = deps
  const fromFile = (run: JobRun<FileInput, ImportState>) => importFile(deps, run)
  const fromRemote = (run: JobRun<RemoteInput, ImportState>) => importRemote(deps, run)
  const undo = (run: JobRun<{ import: string }, UndoState>) => undoImport(deps, run)
  jobs.register(JOBS.file.real, fromFile, { endAction: 'import.finished' })
  jobs.register(JOBS.remote.real, fromRemote, { endAction: 'import.finished' })
  jobs.register(JOBS.file.dry, fromFile)
  jobs.register(JOBS.remote.dry, fromRemote)
  jobs.register(UNDO, undo, { endAction: 'import.undone' })

  return {
    ...createUploads(deps),

    /** A page of imports, newest first. @throws AppError BAD_REQUEST (INVALID_CURSOR) */
    list: (caller: JobReader, page: { limit: number; cursor?: string | undefined }) =>
      jobs.list(caller, { ...page, type: OF_IMPORTS }),

    /** @throws AppError IMPORT_NOT_FOUND */
    get: (caller: JobReader, id: string) => importOf(jobs, caller, id),

    /** The hosts of this instance. */
    domains: deps.domains,

    /** Runs {@link start} in a transaction, without an idempotency key. */
    write<T>({ workspace }: JobReader, work: (tx: Transaction) => Promise<T>): Promise<T> {
      return storage.write(work, { workspaceNo: workspace.no })
    },

    /** Starts the import of a file. @throws AppError VALIDATION_FAILED */
    async start(
      tx: Transaction,
      caller: Principal,
      upload: Upload,
      options: Omit<ImportInput, 'format'> & { format: FormatName | 'auto' },
    ) {
      const format = formatOf(upload.sample, options)
      const { id, kind } = upload
      const input: FileInput = { ...options, format, upload: id, kind }
      // It waits for other jobs, and its folders are read only then.
      const first = upload.sample?.folder_id
      const folders = typeof first === 'string' ? [first] : []
      const type = typeOf(JOBS.file, input)
      const row = await jobs.enqueue(tx, caller, { type, input, folders })
      await insertImport(tx, { job_id: row.id, upload: id, token: null })
      return row
    },

    /** The base URL of a service's API. @throws AppError VALIDATION_FAILED */
    async addressOf(source: SourceName, baseUrl: string | undefined): Promise<string> {
      const fixed: { baseUrl?: string } = SOURCES[source]
      const address = baseUrl ?? fixed.baseUrl
      if (address === undefined) throw invalid({ field: 'base_url', code: 'REQUIRED' })
      const url = URL.parse(address)
      if (url === null || !/^https?:$/.test(url.protocol) || url.username + url.password !== '') {
        throw invalid({ field: 'base_url', code: 'INVALID_URL' })
      }
      try {
        await deps.outgoing.check(url)
      } catch (error) {
        if (!(error instanceof AddressNotAllowed)) throw error
        throw invalid({ field: 'base_url', code: 'URL_NOT_ALLOWED' })
      }
      return url.origin + url.pathname
    },

    /** Starts the import of all links of a service. */
    async startRemote(
      tx: Transaction,
      caller: Principal,
      { token, ...options }: Omit<RemoteInput, 'format'> & { token: string },
    ) {
      const input: RemoteInput = { ...options, format: options.source }
      const row = await jobs.enqueue(tx, caller, { type: typeOf(JOBS.remote, input), input })
      const sealed = seal(deps.secrets.imports, token, row.id, randomBytes(NONCE_BYTES))
      await insertImport(tx, { job_id: row.id, upload: null, token: sealed })
      return row
    },

    /** Starts undoing an import. @throws AppError IMPORT_NOT_FOUND, IMPORT_RUNNING */
    async undo(tx: Transaction, caller: Principal, id: string) {
      const job = await importOf(jobs, caller, id)
      if (job.finished_at === null) throw new AppError('IMPORT_RUNNING')
      return jobs.enqueue(tx, caller, { type: UNDO, input: { import: id }, about: id })
    },

    /** A page of the results. @throws AppError IMPORT_NOT_FOUND, BAD_REQUEST (INVALID_CURSOR) */
    async rows(
      caller: JobReader,
      id: string,
      { limit, cursor, ...filter }: RowsFilter & { limit: number; cursor?: string | undefined },
    ) {
      const view = await viewOf(jobs, caller, id)
      const binding = JSON.stringify(['import rows', id, filter.status, filter.undo])
      const after = cursor === undefined ? 0 : (cursors.decode(cursor, binding)[0] as number)
      const rows = await listRows(storage.reports, view, after, limit + 1, filter)
      return pageOf(rows, limit, ({ n }) => cursors.encode([n], binding))
    },

    /** All of the records' results. @throws AppError IMPORT_NOT_FOUND */
    async allRows(caller: JobReader, id: string, filter: RowsFilter) {
      return walk(storage, await viewOf(jobs, caller, id), filter)
    },

    /** Deletes the data of imports that have ended or never began. */
    purge: () => purge(deps),
  }
}

/** The job of an import. @throws AppError IMPORT_NOT_FOUND */
async function importOf(jobs: Pick<JobService, 'find'>, caller: JobReader, id: string) {
  const job = await jobs.find(caller, id)
  if (job !== undefined && OF_IMPORTS.includes(job.type)) return job
  throw new AppError('IMPORT_NOT_FOUND')
}

/** The rows of an import that the caller can see. @throws AppError IMPORT_NOT_FOUND */
async function viewOf(
  jobs: Pick<JobService, 'find'>,
  caller: JobReader,
  id: string,
): Promise<RowsView> {
  const { id: jobId } = await importOf(jobs, caller, id)
  return { jobId, view: linksSeenBy(caller) }
}

/** The format of a file, as requested or detected by its first record. @throws AppError */
function formatOf(
  sample: ReadRecord | undefined,
  { format, mapping }: { format: FormatName | 'auto'; mapping?: Mapping | undefined },
): FormatName {
  if (sample === undefined) throw invalid({ field: 'file', code: 'EMPTY_FILE' })
  const columns = Object.keys(sample ?? {})
  if (mapping !== undefined) {
    const faults = Object.entries(mapping).flatMap(([field, column]) =>
      columns.includes(column)
        ? []
        : [{ field: `mapping.${field}`, code: 'UNKNOWN_COLUMN' as const }],
    )
    if (faults.length > 0) throw invalid(...faults)
    return format === 'auto' ? 'csv' : format
  }
  if (format !== 'auto') return format
  if (sample === null) throw new UnreadableFile(START).refusal
  const found = recognize(columns)
  if (found === null) throw invalid({ field: 'format', code: 'UNKNOWN_FORMAT' })
  return found
}

async function* walk(
  storage: Pick<Storage, 'reports'>,
  view: RowsView,
  filter: RowsFilter,
): AsyncIterable<ImportRow[]> {
  for (let after = 0; ; ) {
    const rows = await listRows(storage.reports, view, after, STEP, filter)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = last.n
  }
}

function typeOf({ real, dry }: { real: string; dry: string }, { dry_run }: { dry_run: boolean }) {
  return dry_run ? dry : real
}

/** Deletes the data of imports that have ended or never began. */
async function purge({ storage, clock }: ImportServiceDeps): Promise<void> {
  for (const { job_id, upload } of await endedImports(storage.read)) {
    if (upload !== null) await deleteAll(storage, 'import_chunks', upload)
    await storage.write((tx) => deleteImport(tx, job_id), { survives: 'process' })
  }
  const below = lowestIdAt('upl', clock.now() - FORGOTTEN_MS)
  for (;;) {
    const upload = await forgottenUpload(storage.read, below)
    if (upload === undefined) break
    await deleteAll(storage, 'import_chunks', upload)
  }
  await dropOrphans(storage)
}

/** Deletes the rows of imports whose jobs no longer exist. */
async function dropOrphans(storage: Pick<Storage, 'read' | 'write'>): Promise<void> {
  for (let after = ''; ; ) {
    const next = await nextImport(storage.read, after)
    if (next === undefined) return
    after = next.job_id
    if (next.isOrphan) await deleteAll(storage, 'import_rows', after)
  }
}
