import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Clock } from '../../lib/base/clock.ts'
import type { Ids } from '../../lib/base/ids.ts'
import { replaceFile } from '../../lib/base/replace-file.ts'
import { OperatorError } from '../../lib/errors/index.ts'
import { PUT_BACK, type Storage } from '../storage/index.ts'

/** The node that a data directory's journal belongs to. */
export interface Node {
  /** `nod_…`, generated at the first start. */
  id: string
  /** A small number assigned by PostgreSQL: part of the clicks' numbers. */
  no: number
}

/** The file with the node's identity, of which a copy of the directory would be a second one. */
export function nodeFile(dataDir: string): string {
  return join(dataDir, 'node')
}

/** The node of a data directory; null: there was none yet. */
export function readNode(dataDir: string): Node | null {
  let text: string
  try {
    text = readFileSync(nodeFile(dataDir), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
  const [id, no] = text.trim().split(' ')
  if (!/^nod_\w+$/.test(id ?? '') || !/^[1-9]\d*$/.test(no ?? '')) {
    throw new Error(`${nodeFile(dataDir)} does not say which node this is`)
  }
  return { id: id as string, no: Number(no) }
}

/**
 * Checks that a database knows the node of a data directory: another instance's, or one that was
 * emptied, doesn't. @param isEmpty the database has no tables
 * @throws OperatorError
 */
export async function assertNode(
  dataDir: string,
  { read }: Pick<Storage, 'read'>,
  { isEmpty, hasJournal }: { isEmpty: boolean; hasJournal: boolean },
): Promise<void> {
  const node = readNode(dataDir)
  if (node === null && !hasJournal) return
  if (node !== null && !isEmpty) {
    const rows = await sql`SELECT 1 FROM nodes WHERE id = ${node.id} AND no = ${node.no}`.execute(
      read.db,
    )
    if (rows.rows.length > 0) return
  }
  const what = node === null ? join(dataDir, 'journal') : nodeFile(dataDir)
  const fault = isEmpty
    ? `The database in DATABASE_URL is empty, but ${what} belongs to an instance from before`
    : `${what} belongs to another instance than the database in DATABASE_URL, or to a node that it doesn't know`
  throw new OperatorError('DATA_MIXED', `${fault}. ${PUT_BACK}`)
}

/** The node of a data directory, registered at the first start. @throws StorageUnavailable then */
export async function openNode(
  dataDir: string,
  { storage, ids, clock }: { storage: Pick<Storage, 'write'>; ids: Ids; clock: Clock },
): Promise<Node> {
  const known = readNode(dataDir)
  if (known !== null) return known
  const id = ids.next('nod')
  const no = await storage.write(async (tx) => {
    // The work may run twice, or the response to COMMIT be lost: then a number is skipped.
    const { rows } = await sql<{ no: number }>`
      INSERT INTO nodes (id, made_at) VALUES (${id}, ${clock.now()})
      ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING no`.execute(tx.db)
    const made = rows[0]?.no as number
    await sql`INSERT INTO node_watermarks (node_no) VALUES (${made})
      ON CONFLICT DO NOTHING`.execute(tx.db)
    return made
  })
  replaceFile(nodeFile(dataDir), `${id} ${no}\n`)
  return { id, no }
}
