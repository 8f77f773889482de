import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import type { Clock } from '../base/clock.ts'
import type { Ids } from '../base/ids.ts'
import { replaceFile } from '../base/replace-file.ts'
import type { Storage } from '../storage/index.ts'

/** Who a data directory's journal belongs to. */
export interface Node {
  /** `nod_…`, made at the first start. */
  id: string
  /** A small number, given by PostgreSQL: part of the clicks' numbers. */
  no: number
}

/** Where a data directory keeps it. A copy of the directory would be a second node of that name. */
export function nodeFile(dataDir: string): string {
  return join(dataDir, 'node')
}

/** The node of a data directory; null: it never was one. */
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

/** The same, made and given a number at the first start. @throws StorageUnavailable then */
export async function openNode(
  dataDir: string,
  { storage, ids, clock }: { storage: Pick<Storage, 'write'>; ids: Ids; clock: Clock },
): Promise<Node> {
  const known = readNode(dataDir)
  if (known !== null) return known
  const id = ids.next('nod')
  const no = await storage.write(async (tx) => {
    // The work may run twice, and a COMMIT's answer be lost: a number more is used up then.
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
