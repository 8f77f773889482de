import type { KeyScope } from './calls.ts'

/** A working command: it reads, or creates if the key may only write. */
export function curlLine(baseUrl: string, key: string, scopes: readonly KeyScope[]): string {
  // Only the example's variable needs the shell; a key has no special characters.
  const header = `-H "Authorization: Bearer ${key}"`
  const address = `${baseUrl.replace(/\/$/, '')}/api/v1/links`
  if (scopes.includes('links:read')) return `curl ${header} ${address}`
  return `curl ${header} --json '{"destination_url":"https://example.com/"}' ${address}`
}
