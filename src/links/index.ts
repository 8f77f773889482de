export { addressOn } from './addresses.ts'
export { blockLink, blockOfAddress, invalidValue, parseNamed, unblockLink } from './block.ts'
export { nextTurn, TURN } from './bulk/run.ts'
export { rekeySlugs } from './cases.ts'
export type { LinkAsker, LinkServiceDeps } from './context.ts'
export type { CreateFields, LinkSchemas, PreparedCreate } from './fields.ts'
export { createLinkSchemas } from './fields.ts'
export { findLinkAt, findLinkByExternalId } from './find.ts'
export { registerLinkRoutes } from './routes.ts'
export { blockOf, STATUSES, type Status } from './rows.ts'
export {
  type HistoryPage,
  type Link,
  type LinkList,
  LinkListSchema,
  LinkSchema,
} from './schemas.ts'
export { createLinkService, hashPassword, type LinkService, prepareWrite } from './service.ts'
export { findLink } from './store.ts'
export { describeWarning, isWarning, type Warning, WarningSchema } from './warnings.ts'
