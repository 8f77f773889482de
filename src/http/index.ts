export { assertPermits, DASHBOARD_PREFIX, FRESH_MS, permits, personOf } from './admission.ts'
export { type Api, createApi, endpoint } from './api.ts'
export type { Caller, Person, Role, Sessions } from './callers.ts'
export { purgeIdempotency } from './idempotency.ts'
export { parseJsonObject } from './json.ts'
export { assertAllowed } from './meter.ts'
export { atAddress, openApiDocument } from './openapi.ts'
export type { OpenApiParts } from './openapi-share.ts'
export { repeatable } from './page.ts'
export { langOf, pathOf, queryOf, readBody, searchOf, validate } from './request.ts'
export { digestTag, noneMatch } from './respond.ts'
export type {
  Answer,
  AnswerEvent,
  ApiDeps,
  Call,
  ErrorPage,
  Mounted,
  MountedCall,
  Page,
  RequestInfo,
} from './types.ts'
