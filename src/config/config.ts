import type { Hidden } from '../base/hidden.ts'
import type { LogFormat, LogLevel } from '../base/logger.ts'

/** See `Config.signUp`. */
export type SignUp = 'open' | 'invitation' | 'closed'

/** See `Config.workspaceCreation`. */
export type WorkspaceCreation = 'owner' | 'everyone'

/** A mail server and a sender. */
export interface MailConfig {
  /** `smtp://` or `smtps://`, with a user name and a password if need be. */
  url: Hidden
  /** An address, with a name if wanted: `Slugline <links@example.com>`. */
  from: string
}

/** Who vouches for people: an OpenID Connect provider (OpenID Connect Discovery 1.0). */
export interface OidcConfig {
  issuer: string
  clientId: string
  clientSecret: Hidden
  /** What the button says. */
  name: string
}

/** What several machines share; all of the addresses may hold passwords. */
export interface ScaledConfig {
  /** PostgreSQL: `postgres://…`. */
  database: Hidden
  /** A copy of it that is only read, or null: none. */
  replica: Hidden | null
  /** Connections to the database, at most; and to its copy. */
  poolSize: number
  replicaPoolSize: number
  /** How long a statement may take. */
  statementTimeoutMs: number
  /** Redis or Valkey: `redis://…` or `rediss://…`. */
  redis: Hidden
  /** ClickHouse: `http://…` or `https://…`, with the database as its path; null: PostgreSQL keeps the clicks. */
  clickhouse: Hidden | null
}

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
  /** Path of a database of places (`.mmdb`); null: the one that comes with Slugline. */
  geoipDatabase: string | null
  /** Schemes that a destination may have, without the colon. */
  urlSchemes: readonly string[]
  /** Hosts that no link may point to; their subdomains too. */
  blockedHosts: readonly string[]
  /** Requests per minute that one address may send without a key. */
  anonymousPerMinute: number
  /** Who may make an account: anybody, who was invited, or nobody but the operator. */
  signUp: SignUp
  /** Who may make workspaces in the dashboard: the owner of the instance, or everyone. */
  workspaceCreation: WorkspaceCreation
  /** Where to report faults of security, as an address; null: `security.txt` isn't served. */
  securityContact: string | null
  /** How messages are sent; null: not at all. */
  mail: MailConfig | null
  /** Single sign-on by OpenID Connect; null: none. */
  oidc: OidcConfig | null
  /** Several machines; null: this one alone, with all of its data in `dataDir`. */
  scaled: ScaledConfig | null
  /** How far counting and storing clicks and reports give way to the rest of the machine: 0 not at all, 19 most. */
  backgroundNiceness: number
  metrics: 'local' | 'public' | 'off'
  logLevel: LogLevel
  logFormat: LogFormat
}
