import { Secret } from '../../lib/base/secret.ts'
import { type ConfigFault, missing } from './fault.ts'
import { BadValue, integer } from './parse.ts'
import type { Get } from './variables.ts'

/** What several machines share; all URLs may hold passwords. */
export type ScaledConfig = NonNullable<ReturnType<typeof scaledOf>>

/** The shared databases, if set. Two URLs are required together. */
export function scaledOf(get: Get, faults: ConfigFault[]) {
  const secret = (value: string) => new Secret(value)
  const database = get('DATABASE_URL', postgresUrl, null)
  const redis = get('REDIS_URL', redisUrl, null)
  const timeoutSeconds = get('DATABASE_TIMEOUT_SECONDS', integer(1, 600, '10'), 10)
  const others = {
    /** A read-only replica of PostgreSQL; null: none. */
    replica: get('DATABASE_REPLICA_URL', (value) => secret(postgresUrl(value)), null),
    /** ClickHouse, with the database as the URL's path; null: PostgreSQL stores the clicks. */
    clickhouse: get('CLICKHOUSE_URL', (value) => secret(clickhouseUrl(value)), null),
    /** The most connections to the database, and as many to its replica. */
    poolSize: get('DATABASE_POOL_SIZE', integer(2, 1_000, '10'), 10),
    replicaPoolSize: get('DATABASE_REPLICA_POOL_SIZE', integer(1, 1_000, '5'), 5),
    /** How long a statement may take. */
    statementTimeoutMs: timeoutSeconds * 1_000,
  }
  if (database === null) {
    let because: string | undefined
    if (others.clickhouse !== null) because = 'CLICKHOUSE_URL'
    if (redis !== null) because = 'REDIS_URL'
    if (others.replica !== null) because = 'DATABASE_REPLICA_URL'
    if (because !== undefined) missing(faults, 'DATABASE_URL', because, POSTGRES_EXAMPLE)
    return null
  }
  if (redis === null) {
    missing(faults, 'REDIS_URL', 'DATABASE_URL', REDIS_EXAMPLE)
    return null
  }
  return { database: secret(database), redis: secret(redis), ...others }
}

const POSTGRES_EXAMPLE = 'postgres://slugline:password@db.example.com/slugline'
const REDIS_EXAMPLE = 'redis://:password@cache.example.com:6379'
const CLICKHOUSE_EXAMPLE = 'http://slugline:password@clicks.example.com:8123/slugline'

/** A PostgreSQL URL. @throws BadValue */
export const postgresUrl = address(['postgres', 'postgresql'], POSTGRES_EXAMPLE)
const redisUrl = address(['redis', 'rediss'], REDIS_EXAMPLE)
/** A ClickHouse URL. @throws BadValue */
export const clickhouseUrl = address(['http', 'https'], CLICKHOUSE_EXAMPLE)

/** A URL with one of these schemes. Messages don't repeat it: it may hold a password. */
function address(schemes: readonly string[], example: string) {
  const starts = schemes.map((scheme) => `${scheme}://`)
  return (value: string): string => {
    // A socket's directory may replace the host: postgres:///slugline?host=/run.
    const parsable = value.replace(/^([a-z]+:\/\/[^/?#]*@?)(?=\/)/i, (start) =>
      /(\/\/|@)$/.test(start) ? `${start}localhost` : start,
    )
    if (starts.some((start) => value.startsWith(start)) && URL.canParse(parsable)) return value
    throw new BadValue(
      `isn't a URL that starts with ${starts.join(' or ')} (not shown here, it may hold a password)`,
      example,
    )
  }
}
