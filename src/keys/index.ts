export { KEY_NAME_MAX, type NewKey, SCOPES } from './input.ts'
export { revokeKeysOf } from './revoke.ts'
export type { ApiKey } from './schemas.ts'
export {
  type CreatedKey,
  createKeyService,
  DEFAULT_OVERLAP_MS,
  type KeyService,
  type KeyServiceDeps,
  MAX_OVERLAP_MS,
} from './service.ts'
