import type { Scope } from '@src/model/keys/scopes.ts'

/** A working command: it reads links or creates one, or else shows the key itself. */
export function curlLine(baseUrl: string, key: string, scopes: readonly Scope[]): string {
  // Only the example's variable needs the shell; a key has no special characters.
  const header = `-H "Authorization: Bearer ${key}"`
  const api = `${baseUrl.replace(/\/$/, '')}/api/v1`
  if (scopes.includes('links:read')) return `curl ${header} ${api}/links`
  const creates = scopes.includes('links:write') || scopes.includes('links:create')
  if (!creates) return `curl ${header} ${api}/me`
  return `curl ${header} --json '{"destination_url":"https://example.com/"}' ${api}/links`
}

/** Whether a key with these scopes has any tools of the Model Context Protocol. */
export const hasTools = (scopes: readonly Scope[]) =>
  scopes.some(
    (scope) => scope.startsWith('links:') || ['stats:read', 'events:read'].includes(scope),
  )

/** A command that connects Claude Code; other clients need the same address and header. */
export function mcpLine(baseUrl: string, key: string): string {
  const address = `${baseUrl.replace(/\/$/, '')}/mcp`
  return `claude mcp add --transport http slugline ${address} --header "Authorization: Bearer ${key}"`
}
