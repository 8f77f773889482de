import { StorageUnavailable } from '../storage.ts'

/**
 * SQLSTATE classes and codes (https://www.postgresql.org/docs/current/errcodes-appendix.html) of an
 * unavailable server: connections, passwords, resources, operator intervention, read-only replicas,
 * timeouts, and conflicts that retries did not resolve.
 */
const UNAVAILABLE = /^(?:08|28|3D|53|57|58|F0|XX|25006|40001|40P01|40003|55P03)/

/** Serialization failure and deadlock: see {@link SerializationFailure}. */
const CONFLICTS = new Set(['40001', '40P01'])

/** A statement refused by the server, which is a bug. Its message has the code but no data. */
export class RefusedStatement extends Error {
  override name = 'RefusedStatement'
  constructor(
    readonly code: string,
    readonly constraint: string | undefined,
  ) {
    super(`PostgreSQL refused a statement: ${code}${constraint ? ` (${constraint})` : ''}`)
  }
}

/** The connection is broken. */
export class ConnectionLost extends StorageUnavailable {}

/** A transaction was rolled back because of a conflict: it can be retried. */
export class SerializationFailure extends StorageUnavailable {}

/** Whether an error is the server's or the driver's, whose lost connections may have no code. */
export function isOfPostgres(error: unknown): boolean {
  if (!(error instanceof Error) || 'code' in error) return true
  return /connection|timeout/i.test(error.message)
}

/** Converts an error of PostgreSQL to one with a code, but without addresses, SQL or values. */
export function asPostgresError(error: unknown): Error {
  if (error instanceof StorageUnavailable || error instanceof RefusedStatement) return error
  const { code, severity, constraint } = error as {
    code?: unknown
    severity?: unknown
    constraint?: string
  }
  // Only errors of the server have a severity; others come from the connection or the driver.
  if (typeof severity !== 'string' || typeof code !== 'string') {
    return new ConnectionLost(
      `No connection to PostgreSQL (${typeof code === 'string' ? code : 'lost'})`,
    )
  }
  if (CONFLICTS.has(code)) return new SerializationFailure(`PostgreSQL: ${code}`)
  if (/^(?:08|57P)/.test(code) || severity === 'FATAL' || severity === 'PANIC') {
    return new ConnectionLost(`PostgreSQL: ${code}`)
  }
  if (UNAVAILABLE.test(code) || code === '57014')
    return new StorageUnavailable(`PostgreSQL: ${code}`)
  return new RefusedStatement(code, constraint)
}
