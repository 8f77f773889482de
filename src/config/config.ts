import type { LogFormat, LogLevel } from '../base/logger.ts'

/** Everything that an operator can set, checked. Made from the environment by `readEnvironment`. */
export interface Config {
  host: string
  port: number
  /** The public address: an origin without a trailing slash. Null: what the server listens on. */
  baseUrl: string | null
  dataDir: string
  /** Further hosts whose links this instance serves, in ASCII lower case, with a port if any. */
  shortDomains: readonly string[]
  /** Addresses and networks (CIDR) whose forwarding headers are believed. */
  trustedProxies: readonly string[]
  /** Path of a plans file; null: the plans that come with Slugline. */
  plansFile: string | null
  /** Schemes that a destination may have, without the colon. */
  urlSchemes: readonly string[]
  /** Hosts that no link may point to; their subdomains too. */
  blockedHosts: readonly string[]
  /** Requests per minute that one address may send without a key. */
  anonymousPerMinute: number
  metrics: 'local' | 'public' | 'off'
  logLevel: LogLevel
  logFormat: LogFormat
}
