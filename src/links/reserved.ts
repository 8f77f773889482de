/** Paths of the server. */
const SERVED = `
  api app assets docs healthz livez metrics openapi readyz static
`

/** Pages that there are or may be. */
const PAGES = `
  about account admin auth billing console dashboard domains health help index invite join
  keys legal links login logout oauth password plans pricing privacy profile register reset
  search security settings setup signin signout signup sso stats status support team terms
  verify webhooks workspaces
`

/** What browsers and crawlers ask for. */
const ASKED_FOR = `
  ads apple-app-site-association apple-touch-icon browserconfig crossdomain favicon humans
  manifest robots service-worker sitemap sw well-known
`

/**
 * Slugs that no link may have, as keys of `slugKey`: paths that the server answers itself, that
 * browsers and crawlers ask every host for, or that visitors would take for the service's own.
 */
export const RESERVED_SLUGS: ReadonlySet<string> = new Set(
  `${SERVED} ${PAGES} ${ASKED_FOR}`.trim().split(/\s+/),
)
