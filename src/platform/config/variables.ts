import { readFileSync } from 'node:fs'
import { BadValue } from './parse.ts'

/** The environment of a process or of a test. */
export type Variables = Readonly<Record<string, string | undefined>>

interface Kind {
  /**
   * May be read from the file named by `NAME_FILE`: Docker, Kubernetes and systemd provide secrets
   * so.
   */
  secret?: true
  /** It has no effect without this variable. */
  needs?: string
}

const KINDS = {
  HOST: {},
  PORT: {},
  BASE_URL: {},
  SLUGLINE_DATA_DIR: {},
  SLUGLINE_DOMAINS: {},
  DNS_SERVERS: {},
  TRUSTED_PROXIES: {},
  OUTGOING_ALLOWED_NETWORKS: {},
  SLUGLINE_SECRET: { secret: true },
  SLUGLINE_PLANS: {},
  GEOIP_DATABASE: {},
  SLUGLINE_URL: {},
  SLUGLINE_API_KEY: { secret: true },
  SLUGLINE_URL_SCHEMES: {},
  SLUGLINE_BLOCKED_HOSTS: {},
  ANONYMOUS_REQUESTS_PER_MINUTE: {},
  VISITS_PER_ADDRESS_PER_MINUTE: {},
  SIGN_UP: {},
  WORKSPACE_CREATION: {},
  SECURITY_CONTACT: {},
  SMTP_URL: { secret: true },
  MAIL_FROM: { needs: 'SMTP_URL' },
  OIDC_ISSUER: {},
  OIDC_CLIENT_ID: { needs: 'OIDC_ISSUER' },
  OIDC_CLIENT_SECRET: { secret: true, needs: 'OIDC_ISSUER' },
  OIDC_NAME: { needs: 'OIDC_ISSUER' },
  BACKGROUND_NICENESS: {},
  BACKUP_TO: {},
  BACKUP_SCHEDULE: {},
  BACKUP_KEEP: { needs: 'BACKUP_TO' },
  BACKUP_KEEP_DAYS: { needs: 'BACKUP_TO' },
  BACKUP_S3_ENDPOINT: { needs: 'BACKUP_S3_ACCESS_KEY_ID' },
  BACKUP_S3_REGION: { needs: 'BACKUP_S3_ACCESS_KEY_ID' },
  BACKUP_S3_ACCESS_KEY_ID: { secret: true },
  BACKUP_S3_SECRET_ACCESS_KEY: { secret: true, needs: 'BACKUP_S3_ACCESS_KEY_ID' },
  METRICS: {},
  OTEL_EXPORTER_OTLP_ENDPOINT: {},
  OTEL_EXPORTER_OTLP_HEADERS: { secret: true, needs: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
  OTEL_SERVICE_NAME: {},
  OTEL_TRACES_SAMPLER_ARG: { needs: 'OTEL_EXPORTER_OTLP_ENDPOINT' },
  LOG_LEVEL: {},
  LOG_FORMAT: {},
  DATABASE_URL: { secret: true },
  DATABASE_REPLICA_URL: { secret: true },
  DATABASE_POOL_SIZE: { needs: 'DATABASE_URL' },
  DATABASE_REPLICA_POOL_SIZE: { needs: 'DATABASE_REPLICA_URL' },
  DATABASE_TIMEOUT_SECONDS: { needs: 'DATABASE_URL' },
  REDIS_URL: { secret: true },
  CLICKHOUSE_URL: { secret: true },
} as const satisfies Record<string, Kind>

/** The name of a setting. */
export type Variable = keyof typeof KINDS

/** Reads one setting; an invalid value is recorded as a fault, and counts as not set. */
export type Get = <T, D>(variable: Variable, parse: (value: string) => T, fallback: D) => T | D

const TABLE = Object.entries<Kind>(KINDS)

/** Every variable that Slugline reads. */
export const VARIABLES = Object.keys(KINDS) as readonly Variable[]

/** {@link VARIABLES}, and the `_FILE` variables of secrets. */
export const KNOWN: ReadonlySet<string> = new Set(
  TABLE.flatMap(([name, { secret }]) => [name, ...(secret ? [`${name}_FILE`] : [])]),
)

/**
 * The value of a setting, from the environment or from its file; undefined: it isn't set.
 * @throws BadValue when the file can't be read or is empty, or both are set.
 */
export function givenValue(variables: Variables, name: Variable): string | undefined {
  const value = variables[name]?.trim() || undefined
  const kind: Kind = KINDS[name]
  const file = kind.secret && variables[`${name}_FILE`]?.trim()
  if (!file) return value
  if (value !== undefined) {
    throw new BadValue(`is set, and so is ${name}_FILE`, `set only one of them`)
  }
  const example = `${name}_FILE=/run/secrets/${name.toLowerCase()}`
  let text: string
  try {
    text = readFileSync(file, 'utf8').trim()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new BadValue(`should be in ${file}, which can't be read (${code})`, example)
  }
  // Not treated as unset: a node that loses its database's URL would start as an empty instance.
  if (text === '') throw new BadValue(`should be in ${file}, which is empty`, example)
  return text
}

/** Settings without effect because another one is missing: no fault, templates often set them. */
export function idleVariables(variables: Variables): { variable: string; needs: string }[] {
  const isSet = (name: string) =>
    [name, `${name}_FILE`].some((each) => KNOWN.has(each) && variables[each]?.trim())
  return TABLE.flatMap(([variable, { needs }]) =>
    needs !== undefined && isSet(variable) && !isSet(needs) ? [{ variable, needs }] : [],
  )
}
