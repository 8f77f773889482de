export { type Api, createApi, endpoint } from './api.ts'
export { DASHBOARD_PREFIX, FRESH_MS, personOf } from './authenticate.ts'
export { parseJsonObject, readBody } from './body.ts'
export { purgeIdempotency } from './idempotency.ts'
export { atAddress, type OpenApiDocument, openApiDocument } from './openapi.ts'
export type { OpenApiParts } from './openapi-share.ts'
export { assertAllowed } from './rate-limit.ts'
export { digestTag, noneMatch } from './respond.ts'
export type { AnswerEvent, ApiDeps, RequestInfo } from './services.ts'
export type {
  Answer,
  Authenticate,
  Call,
  Caller,
  CallerWorkspace,
  Endpoint,
  Mounted,
  MountedCall,
  Page,
  Permission,
  Person,
  Role,
  Scope,
  SessionCaller,
  Sessions,
} from './types.ts'
export { langOf, pathOf, repeatable, validate } from './validate.ts'
