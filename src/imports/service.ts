import type { Asker } from '../audit/index.ts'
import type { Clock } from '../base/clock.ts'
import { type Ids, lowestIdAt } from '../base/ids.ts'
import { AppError, type ErrorDetail } from '../errors/index.ts'
import type { Cursors } from '../http/cursor.ts'
import { pageOf } from '../http/page.ts'
import type { JobRun, JobService } from '../jobs/index.ts'
import type { Storage, Transaction } from '../storage/index.ts'
import { type FileInput, importFile } from './files.ts'
import { type FormatName, type Mapping, mappingOf, recognize } from './formats/index.ts'
import { type Kind, type ReadRecord, readRecords, UnreadableFile } from './records.ts'
import type { ImportDeps, ImportInput, ImportState } from './run.ts'
import {
  deleteImport,
  deleteSomeChunks,
  deleteSomeRows,
  endedImports,
  forgottenUpload,
  type ImportRow,
  insertChunk,
  insertImport,
  listRows,
  nextImport,
  type RowsFilter,
} from './store.ts'
import { type UndoState, undoImport } from './undo.ts'
import { type ReceivedFile, receiveFile } from './upload.ts'

/** The types of the jobs of imports. */
export const IMPORT_JOBS = { file: 'imports.file', remote: 'imports.remote', undo: 'imports.undo' }

/** A file that no job has taken in so long was given up. */
const FORGOTTEN_MS = 24 * 3_600_000
/** So many rows are deleted or read at a time. */
const STEP = 1_000
/** So many parts of a file, of half a megabyte each. */
const CHUNKS_STEP = 16

/** What the imports work with. */
export interface ImportServiceDeps extends ImportDeps {
  clock: Clock
  ids: Ids
  cursors: Cursors
  jobs: Pick<JobService, 'enqueue' | 'get' | 'register'>
}

type Caller = { readonly workspace: Pick<Asker['workspace'], 'no'> }

/** A file that waits for its import. */
export interface Upload extends Pick<ReceivedFile, 'kind' | 'name' | 'fields' | 'digest'> {
  id: string
  /** The first record. */
  sample: ReadRecord | undefined
}

export type ImportService = ReturnType<typeof createImportService>

/** Imports of files and from other services: jobs that can be tried first and taken back. */
export function createImportService(deps: ImportServiceDeps) {
  const { storage, jobs, ids, cursors } = deps
  jobs.register(IMPORT_JOBS.file, (run: JobRun<FileInput, ImportState>) => importFile(deps, run))
  jobs.register(IMPORT_JOBS.undo, (run: JobRun<{ import: string }, UndoState>) =>
    undoImport(deps, run),
  )

  return {
    /** The hosts of this instance. */
    domains: deps.domains,

    /** Runs what {@link start} does, without an idempotency key. */
    write<T>({ workspace }: Caller, work: (tx: Transaction) => Promise<T>): Promise<T> {
      return storage.write(work, { workspaceNo: workspace.no })
    },

    /** Stores the file of a request. @throws AppError as {@link receiveFile} does */
    async receive(request: Request): Promise<Upload> {
      const id = ids.next('upl')
      let n = 0
      let head = ''
      try {
        const file = await receiveFile(request, async (text) => {
          if (n === 0) head = text
          const at = n++
          await storage.write((tx) => insertChunk(tx, id, at, text), { survives: 'process' })
          return true
        })
        const [sample] = await firstRecords(file.kind, head, 1)
        return { id, ...file, sample }
      } catch (error) {
        await dropUpload(storage, id).catch(() => {})
        throw error
      }
    },

    /** Deletes an upload if what uses it fails. */
    async keepIfUsed<T>(upload: Upload, use: () => Promise<T>): Promise<T> {
      try {
        return await use()
      } catch (error) {
        await dropUpload(storage, upload.id).catch(() => {})
        throw error
      }
    },

    /** The first records of the file of a request, and how they would be read; nothing is stored. */
    async preview(request: Request, limit: number) {
      let head = ''
      const file = await receiveFile(request, async (text) => {
        head = text
        return false
      })
      const records = (await firstRecords(file.kind, head, limit)).map((record) => record ?? {})
      const columns = [...new Set(records.flatMap((record) => Object.keys(record)))]
      const format = recognize(columns)
      const mapping = mappingOf(format ?? 'csv', columns)
      return { format, columns, mapping, records }
    },

    /** Asks for the import of a file. @throws AppError VALIDATION_FAILED */
    async start(
      tx: Transaction,
      asker: Asker,
      upload: Upload,
      options: Omit<ImportInput, 'format'> & { format: FormatName | 'auto' },
    ) {
      const format = formatOf(upload.sample, options)
      const { id, kind } = upload
      const { hiddenFolders } = asker
      const input: FileInput = { ...options, format, upload: id, kind, hiddenFolders }
      const row = await jobs.enqueue(tx, asker, { type: IMPORT_JOBS.file, input })
      await insertImport(tx, { job_id: row.id, upload: id, token: null })
      return row
    },

    /** Takes back what an import made. @throws AppError JOB_NOT_FOUND, IMPORT_RUNNING */
    async undo(tx: Transaction, asker: Asker, id: string) {
      const job = await importOf(jobs, asker, id)
      if (job.finished_at === null) throw new AppError('IMPORT_RUNNING')
      return jobs.enqueue(tx, asker, { type: IMPORT_JOBS.undo, input: { import: id } })
    },

    /** What became of the records. @throws AppError JOB_NOT_FOUND, BAD_REQUEST (INVALID_CURSOR) */
    async rows(
      caller: Caller,
      id: string,
      { limit, cursor, ...filter }: RowsFilter & { limit: number; cursor?: string | undefined },
    ) {
      await importOf(jobs, caller, id)
      const binding = JSON.stringify(['import rows', id, filter.status, filter.undo])
      const after = cursor === undefined ? 0 : (cursors.decode(cursor, binding)[0] as number)
      const rows = await listRows(storage.reports, id, after, limit + 1, filter)
      return pageOf(rows, limit, ({ n }) => cursors.encode([n], binding))
    },

    /** The same, all of them. @throws AppError JOB_NOT_FOUND */
    async allRows(caller: Caller, id: string, filter: RowsFilter) {
      await importOf(jobs, caller, id)
      return walk(storage, id, filter)
    },

    /** Deletes what imports have left behind that are over, or that never began. */
    async purge(): Promise<void> {
      for (const { job_id, upload } of await endedImports(storage.read)) {
        if (upload !== null) await dropUpload(storage, upload)
        await storage.write((tx) => deleteImport(tx, job_id), { survives: 'process' })
      }
      const below = lowestIdAt('upl', deps.clock.now() - FORGOTTEN_MS)
      for (;;) {
        const upload = await forgottenUpload(storage.read, below)
        if (upload === undefined) break
        await dropUpload(storage, upload)
      }
      await dropOrphans(storage)
    },
  }
}

/** The job of an import. @throws AppError JOB_NOT_FOUND */
async function importOf(jobs: Pick<JobService, 'get'>, caller: Caller, id: string) {
  const job = await jobs.get(caller, id)
  if (job.type === IMPORT_JOBS.file || job.type === IMPORT_JOBS.remote) return job
  throw new AppError('JOB_NOT_FOUND')
}

/** How a file is to be read, by what was asked for and its first record. @throws AppError */
function formatOf(
  sample: ReadRecord | undefined,
  { format, mapping }: { format: FormatName | 'auto'; mapping?: Mapping | undefined },
): FormatName {
  if (sample === undefined) throw refused({ field: 'file', code: 'EMPTY_FILE' })
  const columns = Object.keys(sample ?? {})
  if (mapping !== undefined) {
    const faults = Object.entries(mapping).flatMap(([field, column]) =>
      columns.includes(column)
        ? []
        : [{ field: `mapping.${field}`, code: 'UNKNOWN_COLUMN' as const }],
    )
    if (faults.length > 0) throw refused(...faults)
    return format === 'auto' ? 'csv' : format
  }
  if (format !== 'auto') return format
  const found = sample === null ? null : recognize(columns)
  if (found === null) throw refused({ field: 'format', code: 'UNKNOWN_FORMAT' })
  return found
}

function refused(...details: ErrorDetail[]): AppError {
  return new AppError('VALIDATION_FAILED', { details })
}

async function firstRecords(kind: Kind, head: string, limit: number): Promise<ReadRecord[]> {
  const found: ReadRecord[] = []
  async function* once() {
    yield head
  }
  try {
    for await (const record of readRecords(kind, once())) {
      if (found.push(record) === limit) break
    }
  } catch (error) {
    // The head may end within a record.
    if (!(error instanceof UnreadableFile)) throw error
  }
  return found
}

async function* walk(
  storage: Pick<Storage, 'reports'>,
  id: string,
  filter: RowsFilter,
): AsyncIterable<ImportRow[]> {
  for (let after = 0; ; ) {
    const rows = await listRows(storage.reports, id, after, STEP, filter)
    const last = rows.at(-1)
    if (last === undefined) return
    yield rows
    after = last.n
  }
}

async function dropUpload(storage: Pick<Storage, 'write'>, upload: string): Promise<void> {
  for (let isGone = false; !isGone; ) {
    isGone = await storage.write((tx) => deleteSomeChunks(tx, upload, CHUNKS_STEP), {
      survives: 'process',
    })
  }
}

/** Deletes the rows of imports whose jobs are gone. */
async function dropOrphans(storage: Pick<Storage, 'read' | 'write'>): Promise<void> {
  for (let after = ''; ; ) {
    const next = await nextImport(storage.read, after)
    if (next === undefined) return
    after = next.job_id
    for (let isGone = !next.isOrphan; !isGone; ) {
      isGone = await storage.write((tx) => deleteSomeRows(tx, after, STEP), { survives: 'process' })
    }
  }
}
