import { StorageUnavailable } from '../storage.ts'

/**
 * SQLSTATE classes and codes (https://www.postgresql.org/docs/current/errcodes-appendix.html) that
 * mean the server or the way to it: connections, passwords, resources, operators, read-only copies,
 * timeouts, and conflicts that retries did not resolve.
 */
const UNAVAILABLE = /^(?:08|28|3D|53|57|58|F0|XX|25006|40001|40P01|40003|55P03)/

/** Serialization failure and deadlock: see {@link SerializationFailure}. */
const CONFLICTS = new Set(['40001', '40P01'])

/** A statement that the server refuses, which is a bug. It names the code and no data. */
export class RefusedStatement extends Error {
  override name = 'RefusedStatement'
  constructor(
    readonly code: string,
    readonly constraint: string | undefined,
  ) {
    super(`PostgreSQL refused a statement: ${code}${constraint ? ` (${constraint})` : ''}`)
  }
}

/** The connection is broken and can't be used any more. */
export class ConnectionLost extends StorageUnavailable {}

/** A transaction that conflicted with another one and was rolled back: it can be run again. */
export class SerializationFailure extends StorageUnavailable {}

/**
 * The error that callers see of a failure of PostgreSQL. It holds a code, and neither addresses nor
 * statements nor values.
 */
export function asPostgresError(error: unknown): Error {
  if (error instanceof StorageUnavailable || error instanceof RefusedStatement) return error
  const { code, severity, constraint } = error as {
    code?: unknown
    severity?: unknown
    constraint?: string
  }
  // Only errors of the server have a severity; others are the connection's or the driver's.
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
