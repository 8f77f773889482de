import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import { OperatorError } from '../../lib/errors/index.ts'
import { openUnchanged } from './sqlite/connection.ts'
import type { Sql } from './storage.ts'

/** What a database of links says about the instance that it belongs to. */
export interface Instance {
  /** Random, made with the tables. Null: they were made by a version without it. */
  id: string | null
  /** Nothing was ever made in it: no link, no account, no key. */
  isNew: boolean
}

/** What another file or server says about it. */
export interface Owned {
  /** Its name, for messages. */
  name: string
  /** The instance's id; null: it has none yet. */
  owner: string | null
  /** Nothing would be lost with it. */
  isEmpty: boolean
}

/** What to do about files that don't belong together. */
export const PUT_BACK =
  'Nothing was changed. Put back what belongs together, or restore a backup of the whole data ' +
  'directory. To begin anew, use an empty data directory (several nodes: also an empty database).'

/** Reads it; null: there are no tables yet. */
export async function readInstance({
  db,
  dialect,
}: Pick<Sql, 'db' | 'dialect'>): Promise<Instance | null> {
  const { rows: tables } = await (dialect === 'sqlite'
    ? sql`SELECT 1 FROM sqlite_schema WHERE name = 'instance'`
    : sql`SELECT 1 WHERE to_regclass('instance') IS NOT NULL`
  ).execute(db)
  if (tables.length === 0) return null
  const made = await sql`SELECT 1 FROM workspaces WHERE links_made > 0
    UNION ALL SELECT 1 FROM deleted_workspaces UNION ALL SELECT 1 FROM users
    UNION ALL SELECT 1 FROM api_keys LIMIT 1`.execute(db)
  const id = db.selectFrom('instance').select('value').where('name', '=', 'id')
  return { id: (await id.executeTakeFirst())?.value ?? null, isNew: made.rows.length === 0 }
}

/** The instance of a file of links; null: none is there. */
export async function instanceIn(file: string): Promise<Instance | null> {
  if (!existsSync(file)) return null
  const opened = openUnchanged(file)
  return await readInstance(opened).finally(opened.close)
}

/**
 * Checks that something belongs to an instance. What has no id yet, from a version before them, is
 * taken over if that is plausible. @param database the name of the instance's database
 * @throws OperatorError
 */
export function assertOwned(
  { name, owner, isEmpty }: Owned,
  { id, isNew }: Instance,
  database: string,
): void {
  if (owner === null ? isEmpty || !isNew : owner === id) return
  const fault = isNew
    ? `${database} is new and empty, but ${name} belongs to an instance from before`
    : `${name} belongs to another instance than ${database}`
  throw new OperatorError('DATA_MIXED', `${fault}. ${PUT_BACK}`)
}
