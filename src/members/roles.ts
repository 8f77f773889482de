import type { Permission, Role } from '../http/types.ts'

/** The roles, from most to least. Each may do what the ones after it may. */
export const ROLES = ['owner', 'admin', 'member', 'viewer'] as const satisfies readonly Role[]

/** What each role may do besides what the roles below it may. */
const OWN: Readonly<Record<Role, readonly Permission[]>> = {
  owner: ['workspace:manage'],
  admin: ['keys:manage', 'members:manage', 'audit:read'],
  member: ['links:write'],
  viewer: ['links:read'],
}

const OF_ROLE = new Map<string, ReadonlySet<Permission>>()
const OF_INSTANCE_OWNER = new Map<string, ReadonlySet<Permission>>()
for (const [i, role] of ROLES.entries()) {
  const permissions = ROLES.slice(i).flatMap((below) => OWN[below])
  OF_ROLE.set(role, new Set(permissions))
  OF_INSTANCE_OWNER.set(role, new Set<Permission>([...permissions, 'instance:manage']))
}

const NOTHING: ReadonlySet<Permission> = new Set()

/** All that a role permits. An unknown role permits nothing. */
export function permissionsOf(role: string, instanceOwner = false): ReadonlySet<Permission> {
  return (instanceOwner ? OF_INSTANCE_OWNER : OF_ROLE).get(role) ?? NOTHING
}

/** Whether the first role is above the second. An unknown role is above none. */
export function isAbove(one: string, other: string): boolean {
  return rank(one) < rank(other)
}

function rank(role: string): number {
  const at = (ROLES as readonly string[]).indexOf(role)
  return at === -1 ? ROLES.length : at
}
