import type { KeyScope } from './calls.ts'

/** A line that works as it stands: it reads, or it creates where the key may only write. */
export function curlLine(baseUrl: string, key: string, scopes: readonly KeyScope[]): string {
  // Only the variable of an example needs the shell; a key has nothing that a shell reads.
  const header = `-H "Authorization: Bearer ${key}"`
  const address = `${baseUrl.replace(/\/$/, '')}/api/v1/links`
  if (scopes.includes('links:read')) return `curl ${header} ${address}`
  return `curl ${header} --json '{"destination_url":"https://example.com/"}' ${address}`
}
