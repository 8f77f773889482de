import type { Scope } from '../http/types.ts'

/** Every scope there is, sorted. None implies another. */
export const SCOPES: readonly Scope[] = ['links:read', 'links:write']

/** Whether the text names a scope. */
export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text)
}

/** As a key's row holds them: sorted, each once, separated by a space. */
export function storedScopes(scopes: readonly Scope[]): string {
  return SCOPES.filter((scope) => scopes.includes(scope)).join(' ')
}

/** The scopes of a key's row. */
export function scopesOf(stored: string): Scope[] {
  return stored.split(' ').filter(isScope)
}

const sets = new Map<string, ReadonlySet<Scope>>()

/** The same as a set, which all rows with the same scopes share. */
export function scopeSetOf(stored: string): ReadonlySet<Scope> {
  let set = sets.get(stored)
  if (set === undefined) {
    set = new Set(scopesOf(stored))
    sets.set(stored, set)
  }
  return set
}
