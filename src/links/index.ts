export { blockLink, blockOfAddress, type Named, unblockLink } from './block.ts'
export type { LinkAsker } from './context.ts'
export type { HistoryEntry, HistoryPage } from './history.ts'
export type { ListQuery, ListResult } from './list.ts'
export { RESERVED_SLUGS } from './reserved.ts'
export { registerLinkRoutes } from './routes.ts'
export { LinkListSchema, LinkSchema } from './schemas.ts'
export {
  createLinkService,
  hashPassword,
  type LinkService,
  type LinkServiceDeps,
} from './service.ts'
export { slugKey } from './slug.ts'
export { blockOf, isSpecial, STATUSES, type Status, statusOf } from './status.ts'
export { findLink } from './store.ts'
export type {
  CreateFields,
  Link,
  PatchFields,
  PreparedCreate,
  PreparedPatch,
  RedirectStatus,
} from './types.ts'
export type { OwnHosts, UrlRules } from './url.ts'
