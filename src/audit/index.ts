export { ACCOUNT_ACTIONS, AUDIT_ACTIONS, type AuditAction } from './actions.ts'
export {
  type Asker,
  actorOf,
  askerOf,
  changedFields,
  operatorActor,
  personActor,
  recordChange,
  recordExport,
} from './record.ts'
export { ActorSchema } from './schemas.ts'
export { type AuditEntry, createAuditService, entryNumber, entryOf } from './service.ts'
export { type AuditRow, dropAccountEntries, dropEntries, entriesAbout, withNames } from './store.ts'
export { type Actor, COMMAND_LINE, type Fields, INSTANCE } from './types.ts'
