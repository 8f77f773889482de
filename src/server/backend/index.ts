import type { Backend, BackendInput } from './types.ts'

export type { Limiters } from './types.ts'

/** Opens the configured backend, whose databases are migrated already. */
export async function createBackend(input: BackendInput): Promise<Backend> {
  // Loaded on demand: a single machine doesn't need the drivers of several, nor vice versa.
  if (input.config.scaled === null) {
    const { createEmbeddedBackend } = await import('./embedded.ts')
    return createEmbeddedBackend(input)
  }
  const { createScaledBackend } = await import('./scaled.ts')
  return createScaledBackend(input, input.config.scaled)
}
