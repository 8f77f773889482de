export { ACCOUNT_ACTIONS, AUDIT_ACTIONS, type AuditAction, type InstanceAction } from './actions.ts'
export {
  actorOf,
  changedFields,
  operatorActor,
  type Writer,
  personActor,
  writerOf,
  recordChange,
  recordExport,
  recordInstance,
  recordNumbered,
  recordObject,
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
