import { existsSync } from 'node:fs'
import { readNode } from '../cluster/node.ts'
import { existingSecret, fingerprintOf } from '../config/index.ts'
import type { ClickHouse } from '../statistics/engine/clickhouse/client.ts'
import { databaseFiles, migrationStates, openSqlite } from '../storage/index.ts'
import type { MoveState, Target } from './target.ts'

/** Why nothing is moved. Nothing was changed. */
export type Refusal =
  | 'NO_INSTANCE'
  | 'NODE_DIRECTORY'
  | 'SOURCE_NOT_MIGRATED'
  | 'SOURCE_NEWER'
  | 'OTHER_SECRET'
  | 'MOVE_RUNNING'
  | 'TARGET_IN_USE'
  | 'TARGET_NOT_EMPTY'
  | 'TARGET_OF_ANOTHER'
  | 'CLICKS_NOT_EMPTY'

/** A move that was refused before it began. */
export class MoveRefused extends Error {
  override name = 'MoveRefused'
  constructor(readonly refusal: Refusal) {
    super(`Nothing is moved: ${refusal}`)
  }
}

/** Tables that have rows, or get them, before there is an instance. */
const OURS = ['migrations', 'numbers', 'leases', 'moves']

/** That a data directory holds an instance that can be moved. Gives its secret. @throws MoveRefused */
export async function checkSource(dataDir: string, given: string | null): Promise<string> {
  if (readNode(dataDir) !== null) throw new MoveRefused('NODE_DIRECTORY')
  if (!existsSync(databaseFiles(dataDir).main)) throw new MoveRefused('NO_INSTANCE')
  const states = await migrationStates(dataDir)
  if (states.some((state) => state.applied_at === null)) {
    throw new MoveRefused('SOURCE_NOT_MIGRATED')
  }
  if (states.some((state) => state.newer)) throw new MoveRefused('SOURCE_NEWER')
  const own = existingSecret(dataDir)
  if (given !== null && own !== null && given !== own) throw new MoveRefused('OTHER_SECRET')
  const secret = given ?? own
  if (secret === null) throw new MoveRefused('NO_INSTANCE')
  return secret
}

/**
 * What tells one instance from another: its secret's fingerprint, and its first workspace, for
 * several may share a secret. None: it has no workspace yet.
 */
export function nameOfSource(dataDir: string, secret: string): string {
  const { raw, close } = openSqlite(databaseFiles(dataDir).main, { readonly: true })
  try {
    const first = raw
      .query<{ id: string }, []>(
        `SELECT id FROM (SELECT no, id FROM workspaces UNION ALL SELECT no, id FROM deleted_workspaces)
         ORDER BY no LIMIT 1`,
      )
      .get()
    return `${fingerprintOf(secret)} ${first?.id ?? ''}`
  } finally {
    close()
  }
}

/** That a target is empty, or what an earlier move of this source has left. @throws MoveRefused */
export async function checkTarget(target: Target, source: string): Promise<MoveState | null> {
  await checkUnused(target)
  const state = await target.state()
  if (state !== null) {
    const [secret = '', first = ''] = state.source.split(' ')
    const isSame = first === '' ? source.startsWith(`${secret} `) : source === state.source
    if (!isSame) throw new MoveRefused('TARGET_OF_ANOTHER')
    return state
  }
  const tables = await target.all<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relnamespace = current_schema()::regnamespace AND relkind IN ('r', 'p')
       AND NOT relispartition AND relname <> ALL($1)`,
    [OURS],
  )
  for (const { name } of tables) {
    const [row] = await target.all(`SELECT 1 FROM "${name}" LIMIT 1`)
    if (row !== undefined) throw new MoveRefused('TARGET_NOT_EMPTY')
  }
  return null
}

/** That no node was ever started on it. @throws MoveRefused */
export async function checkUnused(target: Target): Promise<void> {
  const [node] = await target.all('SELECT 1 FROM nodes LIMIT 1')
  if (node !== undefined) throw new MoveRefused('TARGET_IN_USE')
}

/** That nobody's clicks are in ClickHouse. @throws MoveRefused */
export async function checkClickHouse(clickHouse: ClickHouse): Promise<void> {
  for (const count of [
    'SELECT 1 FROM clicks LIMIT 1',
    'SELECT 1 FROM daily LIMIT 1',
    'SELECT 1 FROM purged LIMIT 1',
  ]) {
    if ((await clickHouse.rows(count)).length > 0) throw new MoveRefused('CLICKS_NOT_EMPTY')
  }
}
