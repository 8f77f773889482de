export { createEmbeddedResolver } from './embedded-resolver.ts'
export {
  createRedirect,
  type Redirect,
  type RedirectCounts,
  type RedirectDeps,
} from './handler.ts'
export type { Resolver } from './resolver.ts'
