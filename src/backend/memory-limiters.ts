import { createMemoryLimiter } from '../limits/index.ts'
import type { Limiters } from './types.ts'

/** Limits of one process. */
export function memoryLimiters(): Limiters {
  return {
    api: createMemoryLimiter(),
    people: createMemoryLimiter(),
    anonymous: createMemoryLimiter(),
    visitors: createMemoryLimiter(),
    guesses: createMemoryLimiter(),
    reports: createMemoryLimiter(),
    invitations: createMemoryLimiter(),
  }
}
