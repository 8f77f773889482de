import { ValidationIssue } from '../../lib/validation/validation-issue.ts'
import { prepare, type Sql } from '../../platform/storage/index.ts'
import { type Actor, COMMAND_LINE, SYSTEM } from '../audit/index.ts'
import { predecessors } from '../keys/predecessors.ts'
import type { LinkRow } from './row.ts'

/** Stands for the caller in the filter by creator. */
export const ME = 'me'
const KEY = /^key_/
const CREATOR = /^(?:me|command|system|(?:usr|key)_[0-9a-z]{1,40})$/

/** The creator of a row as the API shows it; null: unknown. */
export function creatorOf({
  created_by: id,
  creator_name: name,
}: Pick<LinkRow, 'created_by' | 'creator_name'>): Omit<Actor, 'requestId'> | null {
  if (id === null) return null
  const unnamed = [COMMAND_LINE, SYSTEM].find(({ type }) => type === id)
  if (unnamed !== undefined) return { type: unnamed.type, id: null, name: unnamed.name }
  return { type: KEY.test(id) ? 'api_key' : 'user', id, name: name ?? id }
}

/** An actor as `created_by` has it. */
export function idOfCreator({ id, type }: Pick<Actor, 'id' | 'type'>): string {
  return id ?? type
}

const named = prepare<{ id: string }, { name: string | null }>((db, p) =>
  db
    .selectFrom('users')
    .select('name')
    .where('id', '=', p.id)
    .unionAll(db.selectFrom('api_keys').select('name').where('id', '=', p.id)),
)

/** The current name of a link's creator, as rows have it. */
export async function nameOfCreator(sqlx: Sql, id: string | null): Promise<string | null> {
  if (id === null) return null
  return (await sqlx.run(named, { id }))[0]?.name ?? null
}

/** Validates the filter by creator. */
export function checkCreator(text: string): string | ValidationIssue {
  if (CREATOR.test(text)) return text
  const allowed = [ME, 'usr_…', 'key_…', 'command', 'system']
  return new ValidationIssue('INVALID_VALUE', { allowed })
}

/** A creator with those it stands for: a key goes on for the keys that it was rotated from. */
export async function sameCreators(sqlx: Sql, workspaceNo: number, id: string): Promise<string[]> {
  return KEY.test(id) ? predecessors(sqlx, workspaceNo, id) : [id]
}
