export {
  type CachedResolver,
  createCachedResolver,
  type ResolverState,
  SLUGS_MAX,
} from './cached-resolver.ts'
export type { Decision } from './decision.ts'
export { createEmbeddedResolver } from './embedded-resolver.ts'
export { createFetchSlug, listSlugs } from './fetch-slug.ts'
export { findSlug } from './find-slug.ts'
export { createRedirect, type Redirect } from './handler.ts'
export { pageHeaders, paragraph, renderPage } from './html.ts'
export type { Resolver, SlugRow } from './resolver.ts'
export { createInSite, type Site } from './sites.ts'
export { readSnapshot, writeSnapshot } from './snapshot.ts'
export type { GuessLimit, RedirectCounts, RedirectDeps } from './types.ts'
export { parsePath, restOf, searchOf, type Visit } from './visit.ts'
export { createGuessLimit, createVisitLimit } from './visitor-limits.ts'
