import { isAbsolute, join, resolve } from 'node:path'
import { mailOf, oidcOf } from './accounts.ts'
import { socketPath } from './address.ts'
import { backupOf } from './backup.ts'
import { ConfigError, type ConfigFault, missing } from './fault.ts'
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
import { tracingOf } from './tracing.ts'
import { givenValue, idleVariables, KNOWN, type Variable, type Variables } from './variables.ts'

/** The settings, read from the environment. */
export type Environment = ReturnType<typeof readEnvironment>

/** All settings of an operator, validated. */
export type Config = Environment['config']

/** The default comes first: it is the example in the error for a wrong value. */
const LOG_LEVELS = ['info', 'trace', 'debug', 'warn', 'error', 'fatal', 'silent'] as const

/**
 * Reads the settings; nothing else reads the environment. An empty variable counts as not set,
 * because compose files leave some empty.
 * @param terminal Whether stderr is a terminal: then logs are text by default.
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
  /** The instance that the client commands call. Like the secret, not part of `config`. */
  const remote = {
    url: get('SLUGLINE_URL', origin, null),
    key: get('SLUGLINE_API_KEY', (value) => value, null),
    loginFile: loginFileOf(variables),
  }
  const signUp = get('SIGN_UP', oneOf(['invitation', 'open', 'closed']), 'invitation')
  const scaled = scaledOf(get, faults)
  const host = get('HOST', listenHost, '127.0.0.1')
  if (socketPath(host) !== null && baseUrl === null) {
    missing(faults, 'BASE_URL', 'the socket HOST', 'https://sho.rt')
  }
  const config = {
    /** An address, a host name, or `unix:` and the path of a socket. */
    host,
    port: get('PORT', integer(0, 65_535, '3000'), 3000),
    /** The public origin, without a trailing slash. Null: that of the listening address. */
    baseUrl,
    dataDir: get('SLUGLINE_DATA_DIR', dataDirectory, resolve('./data')),
    /**
     * More hosts that this instance serves links on, in ASCII lower case, with an optional port.
     */
    shortDomains: get('SLUGLINE_DOMAINS', list(hostAndPort), []).filter(
      (host) => baseUrl === null || host !== new URL(baseUrl).host,
    ),
    /** Resolvers for the TXT records of workspaces' domains; empty: the system's. */
    dnsServers: get('DNS_SERVERS', list(dnsServer), []),
    /** Addresses and networks (CIDR) whose forwarding headers are trusted. */
    trustedProxies: get('TRUSTED_PROXIES', list(network), []),
    outgoingNetworks: get('OUTGOING_ALLOWED_NETWORKS', list(network), []),
    /** Path of a plans file; null: the built-in plans. */
    plansFile: get('SLUGLINE_PLANS', (value) => resolve(path(value)), null),
    /** Path of a geolocation database (`.mmdb`); null: the built-in one. */
    geoipDatabase: get('GEOIP_DATABASE', (value) => resolve(path(value)), null),
    /** Schemes allowed for destinations, without the colon. */
    urlSchemes: get('SLUGLINE_URL_SCHEMES', list(scheme), ['http', 'https']),
    /** Hosts, with their subdomains, that links must not point to. */
    blockedHosts: get('SLUGLINE_BLOCKED_HOSTS', list(hostOnly), []),
    /** Requests per minute that one address may send without a key. */
    anonymousPerMinute: get('ANONYMOUS_REQUESTS_PER_MINUTE', integer(1, 1_000_000_000, '600'), 600),
    /** Visits per minute of one address at one link; null: any number. */
    visitsPerAddress: get('VISITS_PER_ADDRESS_PER_MINUTE', integer(1, 1_000_000, '60'), null),
    /** Who may create an account: everyone, invited people, or only the operator. */
    signUp,
    /** Who may create workspaces in the dashboard: the owner of the instance, or everyone. */
    workspaceCreation: get(
      'WORKSPACE_CREATION',
      oneOf(['owner', 'everyone']),
      signUp === 'open' ? 'everyone' : 'owner',
    ),
    /** Where to report security issues, as a URL; null: `security.txt` isn't served. */
    securityContact: get('SECURITY_CONTACT', contact, null),
    /** How email is sent; null: not at all. */
    mail: mailOf(get, faults),
    /** Single sign-on by OpenID Connect; null: none. */
    oidc: oidcOf(get, faults),
    /** What several machines share; null: one machine, with all of its data in `dataDir`. */
    scaled,
    /** Backups of this machine. */
    backup: backupOf(get, faults, scaled !== null),
    /** Niceness of the processes that count and store clicks and answer reports (setpriority(2)). */
    backgroundNiceness: get('BACKGROUND_NICENESS', integer(0, 19, '0'), 7),
    /** Traces of requests; null: none. */
    tracing: tracingOf(get),
    metrics: get('METRICS', oneOf(['local', 'public', 'off']), 'local'),
    logLevel: get('LOG_LEVEL', oneOf(LOG_LEVELS), 'info'),
    logFormat: get('LOG_FORMAT', oneOf(['json', 'text']), terminal ? 'text' : 'json'),
  }
  if (faults.length > 0) throw new ConfigError(faults)
  return {
    config,
    /** SLUGLINE_SECRET; null: that of the data directory. Not in `config`, which may be logged. */
    secret,
    remote,
    /** Whether output for people may be colored (https://no-color.org). */
    colors: terminal && !variables.NO_COLOR,
    /** Variables that are set but have no effect. */
    idle: idleVariables(variables),
    /** What systemd expects of a service (sd_notify(3)); null: nothing. */
    systemd: variables.NOTIFY_SOCKET
      ? { watchdogMs: Number(variables.WATCHDOG_USEC ?? 0) / 1_000 }
      : null,
  }
}

/**
 * The settings of this machine only, for a command whose options name the shared databases; and the
 * unvalidated variables of those.
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

/** Whether a server logs JSON, also while its settings are wrong. Parameters as of {@link readEnvironment}. */
export function logsJson(
  variables: Variables = process.env,
  terminal: boolean = process.stderr.isTTY === true,
): boolean {
  const given = givenValue(variables, 'LOG_FORMAT')
  return given === 'json' || (given !== 'text' && !terminal)
}

/** Unknown variables with our prefix, most likely misspelt. */
export function unknownVariables(variables: Variables = process.env): string[] {
  return Object.keys(variables).filter(
    (name) =>
      name.startsWith('SLUGLINE_') &&
      !KNOWN.has(name) &&
      // Kubernetes sets these for a service named slugline.
      !/^SLUGLINE_(SERVICE_(HOST|PORT)|PORT)(_|$)/.test(name),
  )
}

function path(value: string): string {
  if (!value.includes('\0')) return value
  throw new BadValue('contains a NUL character', './data')
}

/** DuckDB treats a `?` in a file's path as the start of options, and would lose its log. */
function dataDirectory(value: string): string {
  const directory = resolve(path(value))
  if (!directory.includes('?')) return directory
  throw new BadValue(
    `resolves to ${directory}, which has a question mark: clicks can't be stored there`,
    './data or /var/lib/slugline',
  )
}

/** A URL as of RFC 9116 §2.5.3; an email address becomes a `mailto:` URL. */
function contact(value: string): string {
  const uri = /^[^\s@:/]+@[^\s@:/]+$/.test(value) ? `mailto:${value}` : value
  if (/^(?:mailto:[^\s@]+@[^\s@]+|https:\/\/[^\s/]+\S*|tel:\+[\d-]+)$/.test(uri)) return uri
  throw new BadValue(
    "isn't an email address, an https: URL or a tel: number",
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

/** The file of `slugline login` (XDG Base Directory Specification); null: no home directory. */
function loginFileOf({ XDG_CONFIG_HOME: config = '', HOME: home = '' }: Variables): string | null {
  // The specification says to ignore relative paths.
  if (isAbsolute(config)) return join(config, 'slugline', 'login.json')
  return isAbsolute(home) ? join(home, '.config', 'slugline', 'login.json') : null
}
