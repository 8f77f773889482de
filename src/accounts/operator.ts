import type { Storage } from '../storage/index.ts'
import { people, removeSecondFactor } from './operator-store.ts'

/** A person as the operator sees them. */
export interface PersonEntry {
  id: string
  email: string
  name: string | null
  instance_owner: boolean
  /** Whether a code is asked after the password. */
  two_factor: boolean
  passkeys: number
  workspaces: number
  /** RFC 3339 */
  created_at: string
}

/** Everybody who has an account, the oldest first. */
export async function listPeople(storage: Pick<Storage, 'read'>): Promise<PersonEntry[]> {
  const rows = await people(storage.read)
  return rows.map((row) => ({
    id: row.id,
    email: row.email,
    name: row.name,
    instance_owner: row.instance_owner === 1,
    two_factor: row.two_factor_enabled === 1,
    passkeys: Number(row.passkeys),
    workspaces: Number(row.workspaces),
    created_at: new Date(row.created_at).toISOString(),
  }))
}

/**
 * Takes somebody's second factor away, for who has lost it and the recovery codes; they are signed
 * out everywhere. Null: there is no such person; false: they had none.
 */
export function dropSecondFactor(
  storage: Pick<Storage, 'write'>,
  email: string,
  now: number,
): Promise<boolean | null> {
  return storage.write((tx) => removeSecondFactor(tx, email, now))
}
