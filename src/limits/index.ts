export { createHashQueue, type HashPurpose, type HashQueue } from './hash-queue.ts'
export {
  createMemoryLimiter,
  type Decision,
  decide,
  type Limiter,
  type LimitState,
  type Policy,
} from './memory.ts'
export { createSharedLimiter, type SharedLimiter } from './shared.ts'
