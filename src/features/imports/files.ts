import type { JobRun } from '../jobs/index.ts'
import { readChunks } from './chunks.ts'
import { createOrderSurvey, type DateOrders } from './formats/index.ts'
import { type Kind, type ReadRecord, readRecords, UnreadableFile } from './records.ts'
import { BATCH, type ImportDeps, importRecords } from './run.ts'
import type { Batch, ImportInput, ImportResult, ImportState } from './state.ts'

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
  async function* read({ n: done, ...state }: ImportState): AsyncIterable<Batch> {
    const survey = state.total === null ? await surveyOf(records(), run.signal) : state
    const { total, orders } = survey
    let batch: ReadRecord[] = []
    let n = 0
    for await (const record of records()) {
      // Processed by an earlier run.
      if (n++ < done) continue
      if (batch.push(record) < BATCH) continue
      yield { records: batch, total, orders }
      batch = []
    }
    if (batch.length > 0) yield { records: batch, total, orders }
  }
  try {
    return await importRecords(deps, run, read)
  } catch (error) {
    throw error instanceof UnreadableFile ? error.refusal : error
  }
}

/** The number of records, and the order of their dates. */
async function surveyOf(
  records: AsyncIterable<ReadRecord>,
  signal: AbortSignal,
): Promise<{ total: number; orders: DateOrders }> {
  let total = 0
  const survey = createOrderSurvey()
  for await (const record of records) {
    if (++total % 1_000 === 0) signal.throwIfAborted()
    if (record !== null) survey.note(record)
  }
  return { total, orders: survey.orders() }
}
