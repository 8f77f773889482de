export { type Decision, decide, type LimitState, type Policy } from './decide.ts'
export { createHashQueue, type HashPurpose, type HashQueue } from './hash-queue.ts'
export { createMemoryLimiter, type Limiter, type MemoryLimiter } from './memory.ts'
export { createSharedLimiter, type SharedLimiter, type SharedScripts } from './shared.ts'
