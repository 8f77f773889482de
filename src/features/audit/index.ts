export { ACCOUNT_ACTIONS, AUDIT_ACTIONS, type AuditAction, type InstanceAction } from './actions.ts'
export {
  actorOf,
  changedFields,
  operatorActor,
  personActor,
  recordChange,
  recordExport,
  recordInstance,
  recordNumbered,
  recordObject,
  type Writer,
  writerOf,
} from './record.ts'
export { type AuditEntry, createAuditService, entryNumber, entryOf } from './service.ts'
export {
  type AuditRow,
  dropAccountEntries,
  dropEntries,
  listEntries,
  withNames,
  withoutAddresses,
} from './store.ts'
export {
  type Actor,
  ActorSchema,
  type Change,
  COMMAND_LINE,
  type Fields,
  INSTANCE,
  SYSTEM,
} from './types.ts'
