import { randomBytes } from 'node:crypto'
import type { Cursors } from '../../http/cursor.ts'
import { pageOf } from '../../http/page.ts'
import { type Ids, lowestIdAt } from '../../lib/base/ids.ts'
import { NONCE_BYTES, seal } from '../../lib/base/seal.ts'
import { viewOf as linksSeenBy } from '../../lib/base/view.ts'
import { AppError, invalid } from '../../lib/errors/index.ts'
import { formatTimestamp } from '../../lib/validation/timestamp.ts'
import { createOpenLimit } from '../../platform/limits/index.ts'
import { AddressNotAllowed } from '../../platform/outgoing/index.ts'
import type { Storage, Transaction } from '../../platform/storage/index.ts'
import type { Writer } from '../audit/index.ts'
import type { JobReader, JobRun, JobService } from '../jobs/index.ts'
import { type FileInput, importFile } from './files.ts'
import { importRemote, type RemoteDeps, type RemoteInput } from './remote.ts'
import { SOURCES, type SourceName } from './sources/index.ts'
import {
  assertFolderOf,
  type FileOptions,
  importOf,
  JOBS,
  OF_IMPORTS,
  startChecked,
  startFile,
  typeOf,
} from './start.ts'
import type { ImportInput, ImportState } from './state.ts'
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

const UNDO = 'imports.undo'

/** How long the file of a finished dry run can be imported, and of how many dry runs of a workspace. */
const KEPT_MS = 24 * 3_600_000
const KEPT_FILES = 3
/** An upload without a job for so long is abandoned. */
const FORGOTTEN_MS = 24 * 3_600_000
/** Rows read per query. */
const STEP = 1_000
/** The most concurrent exports of rows, of a workspace or a person, and in total. */
const EXPORTS = { each: 4, inAll: 40 }

/** Dependencies of the imports. */
export interface ImportServiceDeps extends RemoteDeps {
  ids: Ids
  cursors: Cursors
  jobs: Pick<JobService, 'addResult' | 'assertRoom' | 'enqueue' | 'find' | 'list' | 'register'>
  storedBytesMax?: number | undefined
}

export type ImportService = ReturnType<typeof createImportService>

/** Imports of files and from other services: jobs with dry runs and undo. */
export function createImportService(deps: ImportServiceDeps) {
  const { storage, jobs, cursors } = deps
  const fromFile = (run: JobRun<FileInput, ImportState>) => importFile(deps, run)
  const checkFile = async (run: JobRun<FileInput, ImportState>) => ({
    ...(await fromFile(run)),
    kept_until: formatTimestamp(deps.clock.now() + KEPT_MS),
  })
  const fromRemote = (run: JobRun<RemoteInput, ImportState>) => importRemote(deps, run)
  const undo = (run: JobRun<{ import: string }, UndoState>) => undoImport(deps, run)
  jobs.register(JOBS.file.real, fromFile, { endAction: 'import.finished' })
  jobs.register(JOBS.remote.real, fromRemote, { endAction: 'import.finished', asksOthers: true })
  jobs.register(JOBS.file.dry, checkFile)
  jobs.register(JOBS.remote.dry, fromRemote, { asksOthers: true })
  jobs.register(UNDO, undo, { endAction: 'import.undone' })
  const exports = createOpenLimit(EXPORTS.each, EXPORTS.inAll)

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

    /** See {@link startFile}. */
    start: (tx: Transaction, caller: Writer, upload: Upload, options: FileOptions) =>
      startFile(jobs, tx, caller, upload, options),

    /** See {@link startChecked}. */
    startChecked: (tx: Transaction, caller: Writer, id: string) =>
      startChecked(jobs, tx, caller, id),

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
      caller: Writer,
      { token, ...options }: Omit<RemoteInput, 'format' | 'name'> & { token: string },
    ) {
      const name = new URL(options.baseUrl).host
      const input: RemoteInput = { ...options, format: options.source, name }
      await assertFolderOf(tx, caller, input)
      const folders = [input.folder_id]
      const type = typeOf(JOBS.remote, input)
      const row = await jobs.enqueue(tx, caller, { type, input, folders })
      const sealed = seal(deps.secrets.imports, token, row.id, randomBytes(NONCE_BYTES))
      await insertImport(tx, { job_id: row.id, upload: null, token: sealed })
      return row
    },

    /** Starts undoing an import. @throws AppError IMPORT_NOT_FOUND, IMPORT_RUNNING */
    async undo(tx: Transaction, caller: Writer, id: string) {
      const job = await importOf(jobs, caller, id)
      if (job.finished_at === null) throw new AppError('IMPORT_RUNNING')
      const { name } = JSON.parse(job.input) as ImportInput
      return jobs.enqueue(tx, caller, { type: UNDO, input: { import: id, name }, about: id })
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

    /** Streams such results. @throws AppError RATE_LIMITED if too many exports are open */
    openExport: exports.stream,

    /** All of the records' results. @throws AppError IMPORT_NOT_FOUND */
    async allRows(caller: JobReader, id: string, filter: RowsFilter) {
      return walk(storage, await viewOf(jobs, caller, id), filter)
    },

    /** Deletes the data of imports that have ended or never began. */
    purge: () => purge(deps),
  }
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

/** Deletes the data of imports that have ended or never began. */
async function purge({ storage, clock }: ImportServiceDeps): Promise<void> {
  const kept = { type: JOBS.file.dry, since: clock.now() - KEPT_MS, files: KEPT_FILES }
  for (const id of await endedImports(storage.read, kept)) {
    // Nothing takes over the file from now on. One whose deletion is interrupted is abandoned.
    const upload = await storage.write((tx) => deleteImport(tx, id), { survives: 'process' })
    if (upload !== null) await deleteAll(storage, 'import_chunks', upload)
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
