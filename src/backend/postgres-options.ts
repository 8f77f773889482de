import type { ScaledConfig } from '../config/index.ts'
import type { PostgresOptions } from '../storage/index.ts'

/** What the settings say of PostgreSQL. */
export function postgresOptions(scaled: ScaledConfig): PostgresOptions {
  const { database, replica, poolSize, replicaPoolSize, statementTimeoutMs } = scaled
  return {
    url: database.reveal(),
    replicaUrl: replica?.reveal() ?? null,
    poolSize,
    replicaPoolSize,
    statementTimeoutMs,
  }
}
