import type { Permission } from '../http/types.ts'
import type { Sql } from '../storage/index.ts'
import { findHidden } from './store.ts'

/**
 * The folders whose links don't exist for a member of a workspace. Owners and admins see all. Asked
 * on each of a person's requests, so that a change counts from the next one on.
 */
export async function hiddenFoldersOf(
  sqlx: Sql,
  workspaceNo: number,
  { userId, scopes }: { userId: string; scopes: ReadonlySet<Permission> },
): Promise<readonly string[]> {
  return scopes.has('members:manage') ? [] : findHidden(sqlx, workspaceNo, userId)
}
