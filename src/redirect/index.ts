export {
  type CachedResolver,
  type CachedResolverOptions,
  createCachedResolver,
  type ResolverState,
} from './cached-resolver.ts'
export { createEmbeddedResolver } from './embedded-resolver.ts'
export { createFetchSlug, type FoundSlug } from './fetch-slug.ts'
export {
  createRedirect,
  type Redirect,
  type RedirectCounts,
  type RedirectDeps,
} from './handler.ts'
export type { LinkRow, Resolver, SlugRow } from './resolver.ts'
export { keepSnapshots, readSnapshot, type Snapshots, writeSnapshot } from './snapshot.ts'
