import type { Backend, BackendInput } from './types.ts'

export type { Backend, BackendInput, Limiters } from './types.ts'

/** Opens what the settings ask for; its databases are migrated already. */
export async function createBackend(input: BackendInput): Promise<Backend> {
  // Loaded when needed: one machine shouldn't wait for the drivers of several, nor the other way.
  if (input.config.scaled === null) {
    const { createEmbeddedBackend } = await import('./embedded.ts')
    return createEmbeddedBackend(input)
  }
  const { createScaledBackend } = await import('./scaled.ts')
  return createScaledBackend(input, input.config.scaled)
}
