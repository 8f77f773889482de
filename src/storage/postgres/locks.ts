import { createHash } from 'node:crypto'
import type { Execute } from './dialect.ts'

/** Locks a workspace against changes; rows may still refer to it. */
export function lockWorkspaceSql(workspaceNo: number): string {
  return `SELECT 1 FROM workspaces WHERE no = ${Number(workspaceNo)} FOR NO KEY UPDATE`
}

/** Takes a lock by its name, until the transaction ends. */
export async function lockByName(execute: Execute, name: string): Promise<void> {
  const number = createHash('sha256').update(name).digest().readBigInt64BE()
  await execute('SELECT pg_advisory_xact_lock($1)', [number.toString()])
}
