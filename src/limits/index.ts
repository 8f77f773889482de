export { type Decision, decide, type LimitState, type Policy } from './decide.ts'
export { createMemoryLimiter, type Limiter } from './memory.ts'
