import type { Ids } from '../../lib/base/ids.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { JobReader, JobService } from '../jobs/index.ts'
import { mappingOf, recognize } from './formats/index.ts'
import { type Kind, type ReadRecord, readRecords, START, UnreadableFile } from './records.ts'
import { deleteAll, insertChunk } from './store.ts'
import { type ReceivedFile, receiveFile } from './upload.ts'

/** An uploaded file without an import. */
export interface Upload extends Pick<ReceivedFile, 'kind' | 'name' | 'fields' | 'digest'> {
  id: string
  /** The first record, or the first readable one of some. */
  sample: ReadRecord | undefined
}

/** Dependencies of uploads. */
interface UploadDeps {
  storage: Storage
  ids: Ids
  jobs: Pick<JobService, 'assertRoom'>
}

/** Uploaded files on their way to an import. */
export function createUploads({ storage, ids, jobs }: UploadDeps) {
  /** How many files of a workspace are being received. */
  const receiving = new Map<number, number>()

  async function store(request: Request): Promise<Upload> {
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
      const first = await firstRecords(file.kind, head, SAMPLED, n > 1)
      // The first record is longer than a part of the file.
      if (first.length === 0 && n > 1) throw new UnreadableFile(START).refusal
      const sample = first.find((record) => record !== null) ?? first[0]
      return { id, ...file, sample }
    } catch (error) {
      await deleteAll(storage, 'import_chunks', id).catch(() => {})
      throw error
    }
  }

  return {
    /**
     * Stores the file of a request. Files that are being received count as unfinished jobs.
     * @throws AppError TOO_MANY_JOBS, and as {@link receiveFile} does
     */
    async receive(caller: JobReader, request: Request): Promise<Upload> {
      const { no } = caller.workspace
      const others = receiving.get(no) ?? 0
      receiving.set(no, others + 1)
      try {
        await jobs.assertRoom(caller, others)
        return await store(request)
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
      const records = (await firstRecords(file.kind, head, limit, true)).map(
        (record) => record ?? {},
      )
      const columns = [...new Set(records.flatMap((record) => Object.keys(record)))]
      const format = recognize(columns)
      const mapping = mappingOf(format ?? 'csv', columns)
      return { format, columns, mapping, records }
    },
  }
}

/** Among so many records the first readable one shows the format. */
const SAMPLED = 100

/**
 * The first records of a file.
 * @param isPart whether `head` may end within a record
 * @throws AppError FILE_UNREADABLE
 */
async function firstRecords(
  kind: Kind,
  head: string,
  limit: number,
  isPart: boolean,
): Promise<ReadRecord[]> {
  const found: ReadRecord[] = []
  async function* once() {
    yield head
  }
  try {
    for await (const record of readRecords(kind, once())) {
      if (found.push(record) === limit) break
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    // The import refuses what comes later, with the records before it.
    const isLater = found.length > 0 || (isPart && error.isCut)
    if (!isLater) throw error.refusal
  }
  return found
}
