export { DASHBOARD_PREFIX, FRESH_MS, personOf } from './admit-person.ts'
export { type Api, type ApiDeps, createApi } from './api.ts'
export { readBody } from './body.ts'
export type { Answer, Call } from './call.ts'
export { type Endpoint, endpoint } from './endpoint.ts'
export type { Mounted, MountedCall, Page } from './exchange.ts'
export { purgeIdempotency } from './idempotency-store.ts'
export { parseJsonObject } from './json.ts'
export { type OpenApiDocument, openApiDocument } from './openapi.ts'
export { pathOf, repeatable } from './query.ts'
export { addressKey, assertAllowed } from './rate-limit.ts'
export { createRequestIds, type RequestIds } from './request-id.ts'
export type { AnswerEvent, RequestInfo } from './services.ts'
export type {
  Authenticate,
  Caller,
  CallerWorkspace,
  Permission,
  Person,
  Role,
  Scope,
  SessionCaller,
  Sessions,
} from './types.ts'
export { validate } from './zod-details.ts'
