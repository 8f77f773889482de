import type { Permission, Role } from '../../http/callers.ts'

/** The roles, from most to least permissions. Each includes the ones after it. */
export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const satisfies readonly Role[]

/** The permissions that each role adds to those of the lower ones. */
const OWN: Readonly<Record<Role, readonly Permission[]>> = {
  owner: ['workspace:manage'],
  admin: [
    ...['keys:write', 'members:manage', 'audit:read', 'events:read', 'domains:write'],
    ...['webhooks:read', 'webhooks:write'],
  ] as const,
  member: ['links:write'],
  viewer: ['links:read', 'domains:read'],
}

/** All permissions of a role. An unknown role has none. */
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
