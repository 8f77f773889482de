export { type FreshKey, makeKey, prefixOf } from './format.ts'
export { KEY_NAME_MAX, type NewKey } from './input.ts'
export { type KeyRefusal, KeyRefused } from './refused.ts'
export { SCOPES } from './scopes.ts'
export {
  type CreatedKey,
  createKeyService,
  DEFAULT_OVERLAP_MS,
  type KeyFilter,
  type KeyService,
  type KeyServiceDeps,
  MAX_OVERLAP_MS,
  type Rotation,
} from './service.ts'
export type { ApiKey } from './view.ts'
