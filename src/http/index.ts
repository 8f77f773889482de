export { type Api, type ApiDeps, createApi, endpoint } from './api.ts'
export { DASHBOARD_PREFIX, FRESH_MS, personOf } from './authenticate.ts'
export { readBody } from './body.ts'
export type { Answer, Call, Endpoint, Mounted, MountedCall, Page } from './endpoint.ts'
export { digestTag } from './etag.ts'
export { purgeIdempotency } from './idempotency-store.ts'
export { parseJsonObject } from './json.ts'
export { atAddress, type OpenApiDocument, openApiDocument } from './openapi.ts'
export { pathOf, repeatable } from './query.ts'
export { addressKey, assertAllowed } from './rate-limit.ts'
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
export { validate } from './validate.ts'
