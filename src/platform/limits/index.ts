export {
  createMemoryLimiter,
  type Decision,
  decide,
  type Limiter,
  type LimitState,
  type Policy,
} from './memory.ts'
export { createOpenLimit } from './open-limit.ts'
export { createSharedLimiter, type SharedLimiter } from './shared.ts'
export { createHashQueue, createWorkQueue, type HashQueue } from './work-queue.ts'
