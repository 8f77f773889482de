import { COMMAND_LINE } from '../audit/index.ts'
import type { Role } from '../http/types.ts'
import type { Storage } from '../storage/index.ts'
import type { Workspace, WorkspaceService } from '../workspaces/index.ts'
import { people, removeSecondFactor } from './operator-store.ts'
import { accountOf, userIdByEmail } from './store.ts'

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

/**
 * Makes somebody who has an account a member of a workspace; null: there is no such person.
 * @throws WorkspaceRefused WORKSPACE_NOT_FOUND, AppError ALREADY_MEMBER, PLAN_LIMIT_REACHED
 */
export function letJoin(
  deps: {
    storage: Pick<Storage, 'write'>
    workspaces: Pick<WorkspaceService, 'get' | 'join'>
  },
  { email, workspace, role }: { email: string; workspace: string; role: Role },
): Promise<{ email: string; workspace: Workspace } | null> {
  return deps.storage.write(async (tx) => {
    const id = await userIdByEmail(tx, email)
    const person = id === undefined ? undefined : await accountOf(tx, id)
    if (person === undefined) return null
    const found = await deps.workspaces.get(tx, workspace)
    await deps.workspaces.join(tx, found, person, role, COMMAND_LINE)
    return { email: person.email, workspace: found }
  })
}
