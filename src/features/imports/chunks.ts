import type { Sql, Transaction } from '../../platform/storage/index.ts'

/** A chunk of a file. */
interface Chunk {
  upload: string
  workspaceNo: number
  n: number
  text: string
}

/** Adds a chunk of a file. */
export async function insertChunk(
  { db }: Transaction,
  { workspaceNo: workspace_no, ...chunk }: Chunk,
): Promise<void> {
  const bytes = Buffer.byteLength(chunk.text)
  await db
    .insertInto('import_chunks')
    .values({ ...chunk, workspace_no, bytes })
    .execute()
}

/** The bytes of a workspace's files. */
export async function storedBytes({ db }: Sql, workspaceNo: number): Promise<number> {
  const chunks = db.selectFrom('import_chunks').where('workspace_no', '=', workspaceNo)
  const summed = chunks.select(({ fn }) => fn.sum<number | null>('bytes').as('sum'))
  return Number((await summed.executeTakeFirstOrThrow()).sum)
}

/** The chunks of a file, one at a time. */
export async function* readChunks({ db }: Sql, upload: string): AsyncIterable<string> {
  for (let n = 0; ; n++) {
    const chunk = await db
      .selectFrom('import_chunks')
      .select('text')
      .where('upload', '=', upload)
      .where('n', '=', n)
      .executeTakeFirst()
    if (chunk === undefined) return
    yield chunk.text
  }
}
