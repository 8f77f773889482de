/**
 * Every scope of an API key, in the order of the dashboard, with the broader scopes that include it.
 * An endpoint requires the narrowest scope that suffices.
 */
const BROADER = {
  'links:read': [],
  'links:write': [],
  /** Creates links, and reads nothing but the answer to that. */
  'links:create': ['links:write'],
  /** Reads statistics and clicks, but no links. */
  'stats:read': ['links:read'],
  'domains:read': [],
  'domains:write': [],
  'keys:write': [],
  /** Reads the feed of events, which tells of every object of the workspace. */
  'events:read': [],
  'webhooks:read': [],
  /** Sends events of what the key can see to any address. */
  'webhooks:write': [],
} as const

/** A scope of a key. */
export type Scope = keyof typeof BROADER

/** Every scope there is. */
export const SCOPES = Object.keys(BROADER) as readonly Scope[]

/** Whether the text names a scope. */
export function isScope(text: string): text is Scope {
  return Object.hasOwn(BROADER, text)
}

/** The permissions that suffice where `permission` is required, the broadest first. */
export function sufficientFor(permission: string): readonly string[] {
  return isScope(permission) ? [...BROADER[permission], permission] : [permission]
}

/** Whether these permissions include another, by name or by a broader one. */
export function includesScope(held: ReadonlySet<string>, permission: string): boolean {
  return held.has(permission) || sufficientFor(permission).some((one) => held.has(one))
}
