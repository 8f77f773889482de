import { isAbsolute, join, resolve } from 'node:path'
import { mailOf, oidcOf } from './accounts.ts'
import { backupOf } from './backup.ts'
import { ConfigError, type ConfigFault } from './fault.ts'
import {
  BadValue,
  dnsServer,
  hostAndPort,
  hostOnly,
  integer,
  list,
  listenHost,
  network,
  oneOf,
  origin,
  scheme,
} from './parse.ts'
import { scaledOf } from './scaled.ts'
import { SECRET_MIN_CHARACTERS } from './secret.ts'
import { givenValue, idleVariables, KNOWN, type Variable, type Variables } from './variables.ts'

/** What the environment says. */
export type Environment = ReturnType<typeof readEnvironment>

/** Everything that an operator can set, checked. */
export type Config = Environment['config']

/** The usual one first: it is the example for a wrong value. */
const LOG_LEVELS = ['info', 'trace', 'debug', 'warn', 'error', 'fatal', 'silent'] as const

/**
 * Reads the settings: the only reader of the environment. A variable that is empty counts as not
 * set, as compose files leave them.
 * @param terminal Whether stderr is a terminal: then logs are written for people by default.
 * @throws ConfigError with all faults.
 */
export function readEnvironment(
  variables: Variables = process.env,
  terminal: boolean = process.stderr.isTTY === true,
) {
  const faults: ConfigFault[] = []

  function get<T, D>(variable: Variable, parse: (value: string) => T, fallback: D): T | D {
    try {
      const value = givenValue(variables, variable)
      return value === undefined || value === '' ? fallback : parse(value)
    } catch (error) {
      if (!(error instanceof BadValue)) throw error
      faults.push({ variable, problem: error.problem, example: error.example })
      return fallback
    }
  }

  const baseUrl = get('BASE_URL', origin, null)
  const secret = get('SLUGLINE_SECRET', secretValue, null)
  /** The instance that commands on links ask. Not in `config`, as the secret. */
  const remote = {
    url: get('SLUGLINE_URL', origin, null),
    key: get('SLUGLINE_API_KEY', (value) => value, null),
    loginFile: loginFileOf(variables),
  }
  const signUp = get('SIGN_UP', oneOf(['invitation', 'open', 'closed']), 'invitation')
  const scaled = scaledOf(get, faults)
  const config = {
    host: get('HOST', listenHost, '127.0.0.1'),
    port: get('PORT', integer(0, 65_535, '3000'), 3000),
    /** The public address: an origin without a trailing slash. Null: what the server listens on. */
    baseUrl,
    dataDir: get('SLUGLINE_DATA_DIR', dataDirectory, resolve('./data')),
    /** Further hosts whose links this instance serves, in ASCII lower case, with a port if any. */
    shortDomains: get('SLUGLINE_DOMAINS', list(hostAndPort), []).filter(
      (host) => baseUrl === null || host !== new URL(baseUrl).host,
    ),
    /** Resolvers that the records of workspaces' domains are looked up with; none: the system's. */
    dnsServers: get('DNS_SERVERS', list(dnsServer), []),
    /** Addresses and networks (CIDR) whose forwarding headers are believed. */
    trustedProxies: get('TRUSTED_PROXIES', list(network), []),
    outgoingNetworks: get('OUTGOING_ALLOWED_NETWORKS', list(network), []),
    /** Path of a plans file; null: the plans that come with Slugline. */
    plansFile: get('SLUGLINE_PLANS', (value) => resolve(path(value)), null),
    /** Path of a database of places (`.mmdb`); null: the one that comes with Slugline. */
    geoipDatabase: get('GEOIP_DATABASE', (value) => resolve(path(value)), null),
    /** Schemes that a destination may have, without the colon. */
    urlSchemes: get('SLUGLINE_URL_SCHEMES', list(scheme), ['http', 'https']),
    /** Hosts that no link may point to; their subdomains too. */
    blockedHosts: get('SLUGLINE_BLOCKED_HOSTS', list(hostOnly), []),
    /** Requests per minute that one address may send without a key. */
    anonymousPerMinute: get('ANONYMOUS_REQUESTS_PER_MINUTE', integer(1, 1_000_000_000, '600'), 600),
    /** Visits per minute of one address at one link; null: any number. */
    visitsPerAddress: get('VISITS_PER_ADDRESS_PER_MINUTE', integer(1, 1_000_000, '60'), null),
    /** Who may make an account: everybody, invited people, or only the operator. */
    signUp,
    /** Who may make workspaces in the dashboard: the owner of the instance, or everyone. */
    workspaceCreation: get(
      'WORKSPACE_CREATION',
      oneOf(['owner', 'everyone']),
      signUp === 'open' ? 'everyone' : 'owner',
    ),
    /** Where to report faults of security, as an address; null: `security.txt` isn't served. */
    securityContact: get('SECURITY_CONTACT', contact, null),
    /** How messages are sent; null: not at all. */
    mail: mailOf(get, faults),
    /** Single sign-on by OpenID Connect; null: none. */
    oidc: oidcOf(get, faults),
    /** Several machines; null: this one alone, with all of its data in `dataDir`. */
    scaled,
    /** Backups of this machine. */
    backup: backupOf(get, faults, scaled !== null),
    /** Niceness of the processes that count and store clicks and answer reports (setpriority(2)). */
    backgroundNiceness: get('BACKGROUND_NICENESS', integer(0, 19, '0'), 7),
    metrics: get('METRICS', oneOf(['local', 'public', 'off']), 'local'),
    logLevel: get('LOG_LEVEL', oneOf(LOG_LEVELS), 'info'),
    logFormat: get('LOG_FORMAT', oneOf(['json', 'text']), terminal ? 'text' : 'json'),
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return {
    config,
    /** SLUGLINE_SECRET; null: the data directory's file. Not in `config`, so that it isn't logged by mistake. */
    secret,
    remote,
    /** Whether what is written for people may be coloured (https://no-color.org). */
    colors: terminal && !variables.NO_COLOR,
    /** What is set and does nothing. */
    idle: idleVariables(variables),
  }
}

/**
 * What the environment says of this machine alone, for a command whose options say where
 * several machines have their data; and what it says of that, unchecked.
 * @throws ConfigError
 */
export function readOwnEnvironment(variables: Variables = process.env): {
  own: Environment
  clickHouse: string | undefined
} {
  const left = Object.fromEntries(
    Object.entries(variables).filter(
      ([name]) => !/^(?:DATABASE(?:_REPLICA)?|REDIS|CLICKHOUSE)_URL(?:_FILE)?$/.test(name),
    ),
  )
  return {
    own: readEnvironment(left),
    clickHouse: givenValue(variables, 'CLICKHOUSE_URL') || undefined,
  }
}

/** Variables with our prefix that are unknown: most likely misspelt. */
export function unknownVariables(variables: Variables = process.env): string[] {
  return Object.keys(variables).filter(
    (name) =>
      name.startsWith('SLUGLINE_') &&
      !KNOWN.has(name) &&
      // Kubernetes sets these for a service of our name.
      !/^SLUGLINE_(SERVICE_(HOST|PORT)|PORT)(_|$)/.test(name),
  )
}

function path(value: string): string {
  if (!value.includes('\0')) return value
  throw new BadValue('holds a NUL character', './data')
}

/** DuckDB takes what follows a `?` in a file's path for something else, and loses its log. */
function dataDirectory(value: string): string {
  const directory = resolve(path(value))
  if (!directory.includes('?')) return directory
  throw new BadValue(
    `stands for ${directory}, which has a question mark: clicks can't be stored there`,
    './data or /var/lib/slugline',
  )
}

/** An address as RFC 9116 §2.5.3 has it; a bare e-mail address becomes one. */
function contact(value: string): string {
  const uri = /^[^\s@:/]+@[^\s@:/]+$/.test(value) ? `mailto:${value}` : value
  if (/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s/]+\S*|tel:\+[\d-]+)$/.test(uri)) return uri
  throw new BadValue(
    'is no e-mail address, https address or telephone number',
    'security@example.com',
  )
}

function secretValue(value: string): string {
  if (value.length >= SECRET_MIN_CHARACTERS) return value
  throw new BadValue(
    `has ${value.length} characters, at least ${SECRET_MIN_CHARACTERS} are needed`,
    'the output of: openssl rand -base64 32',
  )
}

/** Where `slugline login` saves, by the XDG Base Directory Specification; null: there is no home. */
function loginFileOf({ XDG_CONFIG_HOME: config = '', HOME: home = '' }: Variables): string | null {
  // The specification has relative paths ignored.
  if (isAbsolute(config)) return join(config, 'slugline', 'login.json')
  return isAbsolute(home) ? join(home, '.config', 'slugline', 'login.json') : null
}
