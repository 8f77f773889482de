import type { Permission } from '../http/types.ts'
import type { Sql } from '../storage/index.ts'
import { findHidden } from './store.ts'

/**
 * The folders whose links a member of a workspace can't see. Owners and admins see all. Queried on
 * each of a person's requests, so that changes take effect with the next one.
 */
export async function hiddenFoldersOf(
  sqlx: Sql,
  workspaceNo: number,
  { userId, scopes }: { userId: string; scopes: ReadonlySet<Permission> },
): Promise<readonly string[]> {
  return scopes.has('members:manage') ? [] : findHidden(sqlx, workspaceNo, userId)
}
