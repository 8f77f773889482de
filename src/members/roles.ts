import type { Role } from '../http/types.ts'

/** The roles, from most to least. */
export const ROLES: readonly Role[] = ['owner', 'admin', 'member', 'viewer']

/** Whether the first role is above the second. A role that we don't know is above none. */
export function isAbove(one: string, other: string): boolean {
  return rank(one) < rank(other)
}

/** Whether a role may change who the members are. */
export function managesMembers(role: string): boolean {
  return role === 'owner' || role === 'admin'
}

function rank(role: string): number {
  const at = (ROLES as readonly string[]).indexOf(role)
  return at === -1 ? ROLES.length : at
}
