export { type NewKey, SCOPES } from './input.ts'
export {
  type CreatedKey,
  createKeyService,
  type KeyService,
  type KeyServiceDeps,
  revokeKeysOf,
} from './service.ts'
