import type { Limiter } from '../platform/limits/index.ts'
import type { Idempotency } from './idempotency.ts'
import type { ApiDeps } from './types.ts'

/** What a request needs. */
export interface Services extends ApiDeps {
  idempotency: Idempotency
  limiter: Limiter
  planLimiter: Limiter
  anonymousLimiter: Limiter
}
