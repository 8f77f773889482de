import { AppError, invalid } from '../../lib/errors/index.ts'
import type { Transaction } from '../../platform/storage/index.ts'
import type { Writer } from '../audit/index.ts'
import type { JobReader, JobService } from '../jobs/index.ts'
import { assertFolder } from '../links/index.ts'
import type { FileInput } from './files.ts'
import { type FormatName, type Mapping, recognize } from './formats/index.ts'
import { type ReadRecord, START, UnreadableFile } from './records.ts'
import type { ImportInput } from './state.ts'
import { insertImport, takeUpload } from './store.ts'
import type { Upload } from './uploads.ts'

/** The job types of imports; dry runs have their own, so that lists of jobs show the difference. */
export const JOBS = {
  file: { real: 'imports.file', dry: 'imports.file.dry_run' },
  remote: { real: 'imports.remote', dry: 'imports.remote.dry_run' },
} as const
/** The types of imports, dry runs included. */
export const OF_IMPORTS: readonly string[] = Object.values(JOBS).flatMap(Object.values<string>)

/** What a request says about the import of its file. */
export type FileOptions = Omit<ImportInput, 'format' | 'name'> & {
  format: FormatName | 'auto'
  file_name?: string | undefined
}

/** Starts the import of a file. @throws AppError VALIDATION_FAILED */
export async function startFile(
  jobs: Pick<JobService, 'enqueue'>,
  tx: Transaction,
  caller: Writer,
  upload: Upload,
  options: FileOptions,
) {
  const format = formatOf(upload.sample, options)
  const { id, kind } = upload
  const { file_name: name = upload.name, ...rest } = options
  const input: FileInput = { ...rest, format, upload: id, kind, name }
  await assertFolderOf(tx, caller, input)
  // It waits for other jobs, and its folders are read only then.
  const first = input.folder_id ?? upload.sample?.folder_id
  const folders = typeof first === 'string' ? [first] : []
  const type = typeOf(JOBS.file, input)
  const row = await jobs.enqueue(tx, caller, { type, input, folders })
  await insertImport(tx, { job_id: row.id, upload: id, token: null })
  return row
}

/**
 * Imports the file that a dry run has checked, with its options.
 * @throws AppError IMPORT_NOT_FOUND, IMPORT_RUNNING, IMPORT_FILE_GONE, VALIDATION_FAILED
 */
export async function startChecked(
  jobs: Pick<JobService, 'addResult' | 'enqueue' | 'find'>,
  tx: Transaction,
  caller: Writer,
  id: string,
) {
  const check = await importOf(jobs, caller, id)
  if (check.finished_at === null) throw new AppError('IMPORT_RUNNING')
  const isFile = check.type === JOBS.file.dry && check.status === 'succeeded'
  if (!isFile || !(await takeUpload(tx, id))) throw new AppError('IMPORT_FILE_GONE')
  const input: FileInput = { ...JSON.parse(check.input), dry_run: false }
  await assertFolderOf(tx, caller, input)
  const row = await jobs.enqueue(tx, caller, { type: JOBS.file.real, input, about: id })
  await insertImport(tx, { job_id: row.id, upload: input.upload, token: null })
  await jobs.addResult(tx, check, { import_id: row.id })
  return row
}

/** The job of an import. @throws AppError IMPORT_NOT_FOUND */
export async function importOf(jobs: Pick<JobService, 'find'>, caller: JobReader, id: string) {
  const job = await jobs.find(caller, id)
  if (job !== undefined && OF_IMPORTS.includes(job.type)) return job
  throw new AppError('IMPORT_NOT_FOUND')
}

/** Checks the folder that is chosen for all links. @throws AppError VALIDATION_FAILED */
export async function assertFolderOf(
  tx: Transaction,
  caller: Writer,
  { folder_id: id }: Pick<ImportInput, 'folder_id'>,
): Promise<void> {
  if (id !== undefined) await assertFolder(tx, caller, id)
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

/** The type of a job. */
export function typeOf(
  { real, dry }: { real: string; dry: string },
  { dry_run }: { dry_run: boolean },
) {
  return dry_run ? dry : real
}
