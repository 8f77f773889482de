import { sql } from 'kysely'
import type { Sql } from '../../platform/storage/index.ts'

/** Of a key that was rotated more often only the latest ones are found. */
const PREDECESSORS_MAX = 1_000

/** A key and those that it was rotated from, one after the other. */
export async function predecessors(
  { db }: Sql,
  workspaceNo: number,
  id: string,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    WITH RECURSIVE chain(id) AS (
      SELECT k.id FROM api_keys k WHERE k.id = ${id} AND k.workspace_no = ${workspaceNo}
      UNION
      SELECT k.rotated_from FROM chain c JOIN api_keys k ON k.id = c.id
        WHERE k.rotated_from IS NOT NULL
    ) SELECT id FROM chain LIMIT ${PREDECESSORS_MAX}`.execute(db)
  return [id, ...rows.map((row) => row.id).filter((other) => other !== id)]
}

/** The keys that a key was rotated to, one after the other. */
export async function successors({ db }: Sql, workspaceNo: number, id: string): Promise<string[]> {
  const { rows } = await sql<{ id: string; n: number }>`
    WITH RECURSIVE chain(id, n) AS (
      SELECT k.id, 1 FROM api_keys k WHERE k.rotated_from = ${id} AND k.workspace_no = ${workspaceNo}
      UNION
      SELECT k.id, c.n + 1 FROM chain c JOIN api_keys k
        ON k.rotated_from = c.id AND k.workspace_no = ${workspaceNo}
        WHERE c.n < ${PREDECESSORS_MAX}
    ) SELECT id, n FROM chain ORDER BY n LIMIT ${PREDECESSORS_MAX}`.execute(db)
  return rows.map((row) => row.id)
}
