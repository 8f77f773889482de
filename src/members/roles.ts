import type { Permission, Role } from '../http/types.ts'

/** The roles, from most to least. Each may do what the ones after it may. */
export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const satisfies readonly Role[]

/** What each role may do besides what the roles below it may. */
const OWN: Readonly<Record<Role, readonly Permission[]>> = {
  owner: ['workspace:manage'],
  admin: ['keys:manage', 'members:manage', 'audit:read', 'domains:write'],
  member: ['links:write'],
  viewer: ['links:read', 'domains:read'],
}

/** All that a role permits. An unknown role permits nothing. */
export function permissionsOf(role: string, instanceOwner = false): ReadonlySet<Permission> {
  const permissions = new Set(ROLES.slice(rank(role)).flatMap((below) => OWN[below]))
  if (instanceOwner && permissions.size > 0) permissions.add('instance:manage')
  return permissions
}

/** Whether the first role is above the second. An unknown role is above none. */
export function isAbove(one: string, other: string): boolean {
  return rank(one) < rank(other)
}

function rank(role: string): number {
  const at = (ROLES as readonly string[]).indexOf(role)
  return at === -1 ? ROLES.length : at
}
