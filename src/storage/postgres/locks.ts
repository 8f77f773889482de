import { createHash } from 'node:crypto'
import type { Execute } from './dialect.ts'

/** Against whoever changes something of this workspace; not against those who refer to it. */
export const LOCK_WORKSPACE = 'SELECT 1 FROM workspaces WHERE no = $1 FOR NO KEY UPDATE'

/** Takes a lock by its name, until the transaction ends. */
export async function lockByName(execute: Execute, name: string): Promise<void> {
  const number = createHash('sha256').update(name).digest().readBigInt64BE()
  await execute('SELECT pg_advisory_xact_lock($1)', [number.toString()])
}
