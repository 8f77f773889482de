import type { Ids } from '../../lib/base/ids.ts'
import { AppError } from '../../lib/errors/index.ts'
import type { Sql, Storage } from '../../platform/storage/index.ts'
import type { JobReader, JobService } from '../jobs/index.ts'
import { insertChunk, storedBytes } from './chunks.ts'
import { mappingOf, recognize } from './formats/index.ts'
import {
  type Kind,
  type ReadRecord,
  readRecords,
  SKIPPED_LENGTH_MAX,
  START,
  UnreadableFile,
} from './records.ts'
import { deleteAll } from './store.ts'
import { FILE_BYTES_MAX, type ReceivedFile, receiveFile } from './upload.ts'

/** An uploaded file without an import. */
export interface Upload extends Pick<ReceivedFile, 'kind' | 'name' | 'fields' | 'digest'> {
  id: string
  /** The first record, or the first readable one of some; without one, a CSV file's columns. */
  sample: ReadRecord | undefined
}

/** Dependencies of uploads. */
interface UploadDeps {
  storage: Storage
  ids: Ids
  jobs: Pick<JobService, 'assertRoom'>
  /** The most bytes that the files of a workspace may have until their imports end. */
  storedBytesMax?: number | undefined
}

/** The default of `storedBytesMax`. */
const STORED_BYTES_MAX = 1024 ** 3

/** Uploaded files on their way to an import. */
export function createUploads({
  storage,
  ids,
  jobs,
  storedBytesMax: max = STORED_BYTES_MAX,
}: UploadDeps) {
  /** How many files of a workspace are being received. */
  const receiving = new Map<number, number>()

  /**
   * Counts the files of all nodes, so each chunk counts those before it.
   * @throws AppError IMPORTS_FULL
   */
  async function assertSpace(sql: Sql, workspaceNo: number, more = 0): Promise<void> {
    if ((await storedBytes(sql, workspaceNo)) + more <= max) return
    throw new AppError('IMPORTS_FULL', { params: { max }, headers: { 'Retry-After': '60' } })
  }

  async function store(request: Request, workspaceNo: number): Promise<Upload> {
    const id = ids.next('upl')
    let n = 0
    let head = ''
    let isPart = false
    const length = Number(request.headers.get('content-length') ?? 0)
    // A larger one is refused for its own size.
    await assertSpace(storage.read, workspaceNo, Math.min(length, FILE_BYTES_MAX))
    try {
      const file = await receiveFile(request, async (text) => {
        if (head.length <= SKIPPED_LENGTH_MAX) head += text
        else isPart = true
        const chunk = { upload: id, workspaceNo, n: n++, text }
        await storage.write(
          async (tx) => {
            await insertChunk(tx, chunk)
            await assertSpace(tx, workspaceNo)
          },
          { survives: 'process' },
        )
        return true
      })
      const { records: first, columns } = await firstRecords(file.kind, head, SAMPLED, isPart)
      // The first record is longer than any that is skipped.
      if (first.length === 0 && isPart) throw new UnreadableFile(START).refusal
      const ofColumns = columns && Object.fromEntries(columns.map((column) => [column, null]))
      const unread = first.length === 0 ? undefined : (ofColumns ?? null)
      const sample = first.find((record) => record !== null) ?? unread
      return { id, ...file, sample }
    } catch (error) {
      await deleteAll(storage, 'import_chunks', id).catch(() => {})
      throw error
    }
  }

  return {
    /**
     * Stores the file of a request. Files that are being received count as unfinished jobs.
     * @throws AppError TOO_MANY_JOBS, IMPORTS_FULL, and as {@link receiveFile} does
     */
    async receive(caller: JobReader, request: Request): Promise<Upload> {
      const { no } = caller.workspace
      const others = receiving.get(no) ?? 0
      receiving.set(no, others + 1)
      try {
        await jobs.assertRoom(caller, others)
        return await store(request, no)
      } finally {
        const left = (receiving.get(no) ?? 1) - 1
        if (left === 0) receiving.delete(no)
        else receiving.set(no, left)
      }
    },

    /** Deletes an upload if what uses it fails. */
    async keepIfUsed<T>(upload: Upload, use: () => Promise<T>): Promise<T> {
      try {
        return await use()
      } catch (error) {
        await deleteAll(storage, 'import_chunks', upload.id).catch(() => {})
        throw error
      }
    },

    /** The first records of a request's file, and their mapping; nothing is stored. */
    async preview(request: Request, limit: number) {
      let head = ''
      const file = await receiveFile(request, async (text) => {
        head = text
        return false
      })
      const first = await firstRecords(file.kind, head, limit, true)
      const records = first.records.map((record) => record ?? {})
      const named = [...(first.columns ?? []), ...records.flatMap((record) => Object.keys(record))]
      const columns = [...new Set(named)]
      const format = recognize(columns)
      const mapping = mappingOf(format ?? 'csv', columns)
      return { format, columns, mapping, records }
    },
  }
}

/** Among so many records the first readable one shows the format. */
const SAMPLED = 100

/**
 * The first records of a file, and its columns if it has a header.
 * @param isPart whether `head` may end within a record
 * @throws AppError FILE_UNREADABLE
 */
async function firstRecords(
  kind: Kind,
  head: string,
  limit: number,
  isPart: boolean,
): Promise<{ records: ReadRecord[]; columns: readonly string[] | undefined }> {
  const found: ReadRecord[] = []
  let columns: readonly string[] | undefined
  const onColumns = (names: readonly string[]) => {
    columns = names
  }
  async function* once() {
    yield head
  }
  try {
    for await (const record of readRecords(kind, once(), { onColumns })) {
      if (found.push(record) === limit) break
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    // The import refuses what comes later, with the records before it.
    const isLater = found.length > 0 || (isPart && error.isCut)
    if (!isLater) throw error.refusal
  }
  return { records: found, columns }
}
