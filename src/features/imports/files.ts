import { AppError } from '../../lib/errors/index.ts'
import type { JobRun } from '../jobs/index.ts'
import { type Kind, type ReadRecord, readRecords, UnreadableFile } from './records.ts'
import { BATCH, type Batch, type ImportDeps, type ImportInput, importRecords } from './run.ts'
import type { ImportResult, ImportState } from './state.ts'
import { readChunks } from './store.ts'

/** An import of an uploaded file. */
export interface FileInput extends ImportInput {
  upload: string
  kind: Kind
}

/** Imports a file. @throws AppError FILE_UNREADABLE, IMPORT_CONFLICT */
export async function importFile(
  deps: ImportDeps,
  run: JobRun<FileInput, ImportState>,
): Promise<ImportResult> {
  const { upload, kind, format, mapping } = run.job.input
  const isExport = format === 'slugline' && mapping === undefined
  const { read: sql } = deps.storage
  const records = () => readRecords(kind, readChunks(sql, upload), { isExport })
  async function* read({ n: done, total: known }: ImportState): AsyncIterable<Batch> {
    const total = known ?? (await countOf(records(), run.signal))
    let batch: ReadRecord[] = []
    let n = 0
    for await (const record of records()) {
      // Processed by an earlier run.
      if (n++ < done) continue
      if (batch.push(record) < BATCH) continue
      yield { records: batch, total }
      batch = []
    }
    if (batch.length > 0) yield { records: batch, total }
  }
  try {
    return await importRecords(deps, run, read)
  } catch (error) {
    throw error instanceof UnreadableFile ? new AppError('FILE_UNREADABLE') : error
  }
}

async function countOf(records: AsyncIterable<ReadRecord>, signal: AbortSignal): Promise<number> {
  let count = 0
  for await (const _ of records) {
    if (++count % 1_000 === 0) signal.throwIfAborted()
  }
  return count
}
